import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pullRequestFeedback } from '../../control-plane/src/db/schema/work/pull-request-feedback.ts';
import { pullRequests } from '../../control-plane/src/db/schema/work/pull-requests.ts';
import { pollPullRequests } from '../../control-plane/src/pull-requests/feedback/poll-pull-requests.ts';
import type { FakePull, FakeUser } from '../support/github/fake-state.ts';
import {
  ADA,
  createPullRequestWorld,
  HEAD_SHA,
  type PullRequestWorld,
} from '../support/github/pull-request-world.ts';

const BEN: FakeUser = { login: 'ben', id: 8, type: 'User' };
const STRANGER: FakeUser = { login: 'mallory', id: 66, type: 'User' };
const BRANCH = 'switchyard/sy-1';

describe('rules and forks on GitHub', () => {
  let bench: PullRequestWorld;
  beforeEach(async () => {
    bench = await createPullRequestWorld();
    bench.repository.people.set('ada', { permission: 'write' });
    bench.repository.people.set('ben', { permission: 'admin' });
    bench.repository.people.set('mallory', { permission: 'read' });
  });
  afterEach(() => bench.close());

  const rows = () => bench.deps.db.select().from(pullRequests);
  const rounds = () => bench.deps.db.select().from(pullRequestFeedback);
  const issue = () => bench.world.issue('SY-1');
  const review = (state: string, user = ADA, body = '') =>
    bench.repository.reviews.push({
      id: bench.fake.nextId(),
      issue: bench.pull.number,
      body,
      user,
      state,
      created_at: new Date().toISOString(),
    });
  async function merge(sha?: string): Promise<{ status: number; message: string }> {
    const { fake, pull } = bench;
    const response = await fetch(`${fake.apiUrl}/repos/acme/shop/pulls/${pull.number}/merge`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${fake.credentials.token}` },
      body: JSON.stringify(sha === undefined ? {} : { sha }),
    });
    const { message } = (await response.json()) as { message: string };
    return { status: response.status, message };
  }
  const ofFork = (change: Partial<FakePull>): FakePull => {
    bench.repository.lastNumber += 1;
    const number = bench.repository.lastNumber;
    const pull = { ...bench.pull, number, node_id: `PR_acme/shop/${number}`, ...change };
    bench.repository.pulls.unshift(pull);
    return pull;
  };

  describe('a required review', () => {
    it('keeps everybody from merging, in words, until whoever may write approves', async () => {
      bench.repository.rules.reviews = 1;
      const refused = { status: 405, message: expect.stringContaining('approving review') };
      expect(await merge()).toMatchObject(refused);
      review('APPROVED', STRANGER);
      review('APPROVED', bench.pull.user);
      review('COMMENTED');
      expect(await merge()).toMatchObject(refused);
      review('APPROVED', BEN);
      review('CHANGES_REQUESTED', ADA, 'Rename it');
      expect(await merge()).toMatchObject(refused);
      review('APPROVED', ADA);
      // A comment takes no approval back.
      review('COMMENTED', ADA);
      expect(await merge('b'.repeat(40))).toMatchObject({ status: 409 });
      expect(await merge(HEAD_SHA)).toEqual({
        status: 200,
        message: 'Pull Request successfully merged',
      });
      expect(await merge()).toMatchObject({ status: 405 });
    });

    it('that is missing is nothing to work on, and one that refuses is', async () => {
      bench.repository.rules.reviews = 1;
      await pollPullRequests(bench.deps);
      review('APPROVED', STRANGER);
      await pollPullRequests(bench.deps);
      expect([await rounds(), (await issue()).status]).toEqual([[], 'completed']);
      review('CHANGES_REQUESTED', ADA, 'Rename it');
      await pollPullRequests(bench.deps);
      expect(await rounds()).toHaveLength(1);
    });

    it('is not passed by: whoever asks this service to merge is sent to GitHub', async () => {
      const [row] = await rows();
      for (const what of ['merge', 'close']) {
        const answer = await bench.world.core.app.request(
          `/api/v1/local/pull-requests/${row?.id}/${what}`,
          { method: 'POST', headers: { Host: '127.0.0.1' } },
          { remoteAddress: '127.0.0.1' },
        );
        expect(answer.status).toBe(409);
        expect(await answer.text()).toContain(row?.url);
      }
      expect((await rows())[0]).toMatchObject({ status: 'open' });
    });
  });

  describe('a merge queue', () => {
    it('takes merges only through itself, and its own checks are none of ours', async () => {
      const { repository, pull } = bench;
      repository.rules.queue = true;
      expect(await merge()).toEqual({
        status: 405,
        message: 'Changes must be made through the merge queue',
      });
      const queued = 'gh-readonly-queue/main/pr-1-'.concat('c'.repeat(40));
      repository.branches.set(queued, 'd'.repeat(40));
      repository.checks.push({
        id: 41,
        sha: 'd'.repeat(40),
        name: 'unit',
        status: 'completed',
        log: 'broke',
        conclusion: 'failure',
        output: { title: null, summary: null, text: null },
      });
      const suite = { head_branch: queued, pull_requests: [] };
      const ignored = { outcome: 'ignored' };
      const none = { issue: undefined };
      for (const [event, more] of [
        ['pull_request.enqueued', { pull_request: { number: pull.number } }],
        ['merge_group.checks_requested', { merge_group: { head_ref: `refs/heads/${queued}` } }],
        ['push', { ref: `refs/heads/${queued}` }],
        ['check_run.completed', { check_run: { pull_requests: [], check_suite: suite } }],
        ['pull_request.dequeued', { pull_request: { number: pull.number } }],
      ] as const) {
        expect(await bench.hear(event, { ...none, ...more }), event).toEqual(ignored);
      }
      await pollPullRequests(bench.deps);
      expect([await rounds(), (await issue()).status]).toEqual([[], 'completed']);
      Object.assign(pull, { state: 'closed', merged_at: new Date().toISOString() });
      const closed = { ...none, pull_request: { number: pull.number } };
      expect(await bench.hear('pull_request.closed', closed)).toEqual({ outcome: 'processed' });
      expect((await rows())[0]).toMatchObject({ status: 'merged' });
    });
  });

  describe('a pull request of a fork', () => {
    const input = () => ({
      repositoryUrl: bench.fake.urlOf(bench.repository),
      branch: BRANCH,
      base: 'main',
      baseCommit: '0'.repeat(40),
      commitSha: HEAD_SHA,
      title: 'SY-1: Fix it',
      body: 'What & why',
      draft: false,
      diffBlob: null,
      diffStat: { files: 1, insertions: 2, deletions: 0 },
      issueIdentifier: 'SY-1',
      attemptId: 'att_000000000001',
    });

    it.each(['mallory/shop', null])(
      'from a branch of our name is never taken for ours (%s)',
      async (fork) => {
        const theirs = ofFork({ fork, user: STRANGER, title: 'Theirs', body: 'x' });
        const opened = await bench.host.openPullRequest(input());
        expect(opened.number).toBe(bench.pull.number);
        // Ours is closed: a new one is opened beside theirs.
        bench.pull.state = 'closed';
        const next = await bench.host.openPullRequest(input());
        expect([bench.pull.number, theirs.number]).not.toContain(next.number);
        expect(theirs).toMatchObject({ title: 'Theirs', body: 'x', state: 'open', labels: [] });
      },
    );

    it('moves nothing of ours, whatever is said, checked or done there', async () => {
      const theirs = ofFork({ fork: 'mallory/shop', user: STRANGER, title: 'Theirs' });
      bench.repository.comments.push({
        id: bench.fake.nextId(),
        issue: theirs.number,
        body: 'Rename it',
        user: ADA,
        created_at: new Date().toISOString(),
      });
      theirs.state = 'closed';
      const about = { issue: undefined, pull_request: { number: theirs.number } };
      expect(await bench.hear('pull_request.closed', about)).toEqual({ outcome: 'ignored' });
      const comment = { issue: { number: theirs.number, pull_request: {} } };
      expect(await bench.hear('issue_comment.created', comment)).toEqual({ outcome: 'ignored' });
      // GitHub names no pull request in a check of a fork, but the branch, which is called as ours.
      const suite = { head_branch: BRANCH, pull_requests: [] };
      const check = { issue: undefined, check_suite: suite };
      await bench.hear('check_suite.completed', check);
      await pollPullRequests(bench.deps);
      expect([await rounds(), (await issue()).status]).toEqual([[], 'completed']);
      expect((await rows())[0]).toMatchObject({ status: 'open', number: bench.pull.number });
    });
  });
});
