import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pullRequestFeedback } from '../../control-plane/src/db/schema/work/pull-request-feedback.ts';
import { issuePullRequest } from '../../control-plane/src/issues/issue-pull-request.ts';
import { checkCodeHosts } from '../../control-plane/src/admin/setup/repositories/check-code-hosts.ts';
import type { FakePermissions } from '../support/github/fake-credentials.ts';
import {
  createPullRequestWorld,
  HEAD_SHA,
  type PullRequestWorld,
} from '../support/github/pull-request-world.ts';

const ENOUGH: FakePermissions = { contents: 'write', pull_requests: 'write' };
const BOB = { login: 'bob', id: 8, type: 'User' } as const;

describe('what a token of GitHub may not see', () => {
  let bench: PullRequestWorld;
  afterEach(() => bench.close());
  const rounds = () => bench.deps.db.select().from(pullRequestFeedback);
  const failedCheck = () =>
    bench.repository.checks.push({
      id: bench.fake.nextId(),
      sha: HEAD_SHA,
      name: 'unit',
      log: 'the CAUSE',
      status: 'completed',
      conclusion: 'failure',
      output: { title: null, summary: null, text: null },
    });
  const checked = async () => (await issuePullRequest(bench.deps, { identifier: 'SY-1' })).checked;

  it('is shown as such, and comments and reviews are heard all the same', async () => {
    bench = await createPullRequestWorld({ permissions: ENOUGH });
    failedCheck();
    bench.say('please rename it');
    expect(await bench.hear()).toEqual({ outcome: 'processed' });
    expect((await rounds())[0]?.body).toContain('please rename it');
    expect(await checked()).toMatchObject({
      checks: [],
      unseen: ['check runs', 'commit statuses'],
    });
  });

  it('are checks for a fine-grained token, but jobs of GitHub Actions tell as much', async () => {
    bench = await createPullRequestWorld({
      permissions: { ...ENOUGH, actions: 'read', statuses: 'read' },
    });
    failedCheck();
    await bench.hear('status', { issue: undefined, branches: [{ name: 'switchyard/sy-1' }] });
    expect((await rounds())[0]?.body).toContain('the CAUSE');
    expect(await checked()).toMatchObject({
      checks: [{ name: 'unit', state: 'failed' }],
      unseen: ['check runs that are no jobs of GitHub Actions'],
    });
  });

  it('is nothing for one that may see all', async () => {
    bench = await createPullRequestWorld();
    failedCheck();
    await bench.hear();
    expect(await checked()).not.toHaveProperty('unseen');
  });

  it('costs an App no token: it asks for what it was installed with', async () => {
    bench = await createPullRequestWorld({ app: { ...ENOUGH, issues: 'read' } });
    bench.say('please rename it');
    await bench.hear();
    expect(await rounds()).toHaveLength(1);
    expect(await checked()).toMatchObject({ unseen: ['check runs', 'commit statuses'] });
  });

  it('is named by the set-up step, permission by permission', async () => {
    bench = await createPullRequestWorld({ permissions: { ...ENOUGH, statuses: 'read' } });
    const { deps, fake, repository } = bench;
    await deps.config.load();
    const route = { prefix: 'SY-', url: fake.urlOf(repository) };
    const config = {
      ...deps.config,
      load: async () => ({ ...(await deps.config.load()), repos: [route] }),
      latest: () => deps.config.latest(),
    };
    const check = await checkCodeHosts({ ...deps, config });
    expect(check.ok).toBe(true);
    expect(check.notes.join('\n')).toContain('lacks Checks: read');
    expect(check.notes.join('\n')).toContain('Actions: read');
    expect(check.notes.join('\n')).not.toContain('Commit statuses');
    expect(repository.pulls).toHaveLength(1);
  });

  it('fails the set-up step where it is needed', async () => {
    bench = await createPullRequestWorld();
    const { deps, fake, repository } = bench;
    const token = fake.credentials.fineGrained(['acme/shop'], { contents: 'read' });
    const plain = deps.config.latest();
    const codehost = { github: { ...plain.codehost.github, token } } as typeof plain.codehost;
    const effective = {
      ...plain,
      codehost,
      repos: [{ prefix: 'SY-', url: fake.urlOf(repository) }],
    };
    const config = {
      ...deps.config,
      load: async () => effective,
      latest: () => effective,
    } as unknown as typeof deps.config;
    const check = await checkCodeHosts({ ...deps, config });
    expect(check).toMatchObject({ ok: false, message: expect.stringContaining('Contents: write') });
    expect(check.message).toContain('Pull requests: write');
  });
});

describe('the word of somebody whose membership is private', () => {
  let bench: PullRequestWorld;
  afterEach(() => bench.close());
  const rounds = () => bench.deps.db.select().from(pullRequestFeedback);
  const review = { user: BOB, body: 'Not yet', state: 'CHANGES_REQUESTED' };

  it('counts when they may write, and GitHub is asked once', async () => {
    bench = await createPullRequestWorld();
    const { fake, repository, pull } = bench;
    repository.people.set('bob', { permission: 'write', member: 'private' });
    const created_at = new Date().toISOString();
    repository.reviews.push({ ...review, id: 1, issue: pull.number, created_at });
    await bench.hear();
    await bench.hear();
    expect((await rounds()).map(({ keys }) => keys)).toEqual([['review:1']]);
    const asked = fake.requests.filter(({ path }) =>
      path.endsWith('/collaborators/bob/permission'),
    );
    expect(asked).toHaveLength(1);
  });

  it('does not count for strangers, and the log says whose and why, once', async () => {
    bench = await createPullRequestWorld();
    const { repository, notes } = bench;
    repository.isPublic = true;
    bench.say('run this', { user: BOB, author_association: 'CONTRIBUTOR' });
    await bench.hear();
    await bench.hear();
    expect(await rounds()).toEqual([]);
    expect(notes).toEqual([
      {
        message: 'a word on a pull request was not taken',
        fields: expect.objectContaining({
          author: 'bob',
          why: expect.stringContaining('may read'),
        }),
      },
    ]);
  });
});

describe('what of a pull request cannot be read', () => {
  let bench: PullRequestWorld;
  beforeEach(async () => {
    bench = await createPullRequestWorld();
  });
  afterEach(() => bench.close());
  const rounds = () => bench.deps.db.select().from(pullRequestFeedback);
  const checked = async () => (await issuePullRequest(bench.deps, { identifier: 'SY-1' })).checked;

  it('is said to be unseen, and everything else is heard', async () => {
    const { fake, repository } = bench;
    for (const name of ['unit', 'odd'])
      repository.checks.push({
        id: fake.nextId(),
        sha: HEAD_SHA,
        name,
        log: 'the CAUSE',
        status: 'completed',
        conclusion: 'failure',
        output: { title: null, summary: null, text: null },
      });
    bench.say('odd words');
    bench.say('please rename it');
    fake.spoil = (body: { check_runs?: object[] } | object[]) => {
      const rows = Array.isArray(body) ? body : (body.check_runs ?? []);
      for (const row of rows as Record<string, unknown>[])
        if (row['name'] === 'odd' || row['body'] === 'odd words') row['id'] = null;
    };
    await bench.hear();
    const [round] = await rounds();
    expect(round?.body).toContain('the CAUSE');
    expect(round?.body).toContain('please rename it');
    expect(round?.body).not.toContain('odd');
    expect(await checked()).toMatchObject({
      checks: [{ name: 'unit', state: 'failed' }],
      unseen: ['one check that cannot be read', 'one comment that cannot be read'],
    });
  });

  it('is never taken for a pull request that is gone', async () => {
    const { fake } = bench;
    fake.makeTrouble({ match: /GET \S+\/pulls\/1$/, times: 9, status: 404 });
    fake.spoil = (body: object[], line) => {
      if (line.includes('/pulls?')) for (const row of body) Object.assign(row, { number: null });
    };
    await expect(bench.hear()).rejects.toMatchObject({ retryable: true });
    expect((await bench.world.issue('SY-1')).reason).toBeNull();
  });
});
