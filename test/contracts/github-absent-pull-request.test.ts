import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jobs } from '../../control-plane/src/db/schema/operation/jobs.ts';
import { pullRequestFeedback } from '../../control-plane/src/db/schema/work/pull-request-feedback.ts';
import { pullRequests } from '../../control-plane/src/db/schema/work/pull-requests.ts';
import { pollPullRequests } from '../../control-plane/src/pull-requests/feedback/poll-pull-requests.ts';
import {
  createPullRequestWorld,
  type PullRequestWorld,
} from '../support/github/pull-request-world.ts';

describe('a pull request that GitHub does not show', () => {
  let bench: PullRequestWorld;
  beforeEach(async () => {
    bench = await createPullRequestWorld();
  });
  afterEach(() => bench.close());

  const issue = () => bench.world.issue('SY-1');
  const row = async () => (await bench.deps.db.select().from(pullRequests))[0];
  const rounds = () => bench.deps.db.select().from(pullRequestFeedback);
  const moves = async () => {
    const rows = await bench.deps.db.select().from(jobs).where(eq(jobs.kind, 'tracker.transition'));
    return rows.map(({ payload }) => payload['role']);
  };

  it('is not taken for closed while its repository is out of sight', async () => {
    const { repository, deps } = bench;
    bench.say('please rename it');
    repository.isHidden = true;
    expect(await pollPullRequests(deps)).toMatchObject([{ retryable: true }]);
    await expect(bench.hear()).rejects.toMatchObject({ retryable: true });
    expect(await row()).toMatchObject({ status: 'open' });
    expect(await issue()).toMatchObject({ status: 'completed' });
    expect(await moves()).not.toContain('blocked');
    repository.isHidden = false;
    await pollPullRequests(deps);
    expect(await rounds()).toHaveLength(1);
  });

  it('is believed where the list shows it, whatever the single answer says', async () => {
    const { fake, deps, pull } = bench;
    fake.makeTrouble({ match: /GET \S+\/pulls\/1$/, times: 1, status: 404 });
    bench.say('please rename it');
    await pollPullRequests(deps);
    expect(await rounds()).toHaveLength(1);
    await bench.rest('completed');
    Object.assign(pull, { state: 'closed', merged_at: new Date().toISOString() });
    fake.makeTrouble({ match: /GET \S+\/pulls\/1$/, times: 1, status: 404 });
    await pollPullRequests(deps);
    expect(await row()).toMatchObject({ status: 'merged' });
    expect(await moves()).toContain('done');
  });

  it('is said to be missing once that is certain, and taken back when it is there again', async () => {
    const { repository, deps } = bench;
    const [pull] = repository.pulls.splice(0, 1);
    await pollPullRequests(deps);
    await pollPullRequests(deps);
    expect(await row()).toMatchObject({ status: 'open' });
    expect(await issue()).toMatchObject({
      status: 'completed',
      reason: expect.stringContaining('#1 cannot be found'),
    });
    expect(await moves()).not.toContain('blocked');
    if (pull !== undefined) repository.pulls.push(pull);
    bench.say('please rename it');
    await pollPullRequests(deps);
    expect((await issue()).reason).not.toContain('cannot be found');
    expect(await rounds()).toHaveLength(1);
  });

  it.each(['poll', 'delivery'] as const)(
    'was closed and is open again: by %s the issue is delivered as before',
    async (by) => {
      const { pull, deps } = bench;
      pull.state = 'closed';
      await pollPullRequests(deps);
      expect(await issue()).toMatchObject({ status: 'blocked' });
      pull.state = 'open';
      if (by === 'poll') await pollPullRequests(deps);
      else {
        bench.world.clock.advance(30 * 86_400_000);
        const about = { issue: undefined, pull_request: { number: 1 } };
        await bench.hear('pull_request.reopened', about);
      }
      expect(await row()).toMatchObject({ status: 'open' });
      expect(await issue()).toMatchObject({
        status: 'completed',
        reason: expect.stringContaining('open again'),
      });
      expect((await moves()).at(-1)).toBe('review');
      bench.say('please rename it');
      await pollPullRequests(deps);
      expect(await rounds()).toHaveLength(1);
    },
  );
});
