import { afterEach, describe, expect, it } from 'vitest';
import { failingTestIssue } from '../../control-plane/src/platform/node/demo/scripted-provider/failing-test-project.ts';
import {
  byPrompt,
  commitsItself,
  fixFailingTest,
} from '../../control-plane/src/platform/node/demo/scripted-provider/ready-scripts.ts';
import type { Step } from '../../control-plane/src/platform/node/demo/scripted-provider/step.ts';
import { filesWith } from '../support/e2e/files-with.ts';
import { until } from '../support/e2e/until.ts';
import { refusePushes } from '../support/github/fake-rules.ts';
import type { FakePull } from '../support/github/fake-state.ts';
import { type GitHubBench, startGitHubBench } from '../support/github/github-bench.ts';
import { watchProcesses } from '../support/github/watch-processes.ts';

const usesTool = (name: string, given: unknown): Step => ({
  outputs: [{ type: 'tool', name, arguments: given }],
});
const comments = '/repos/{owner}/{repo}/issues/1/comments';
/** What the agent does with its tools before it goes to work. */
const toolSteps: readonly Step[] = [
  usesTool('github_api', { method: 'GET', path: '/repos/{owner}/{repo}/pulls/1' }),
  usesTool('github_api', { method: 'POST', path: comments, body: { body: 'I am on it.' } }),
  usesTool('github_api', { method: 'DELETE', path: '/repos/acme/project' }),
  usesTool('tracker_api', { operation: 'get_issue' }),
];
const script = byPrompt(
  [
    {
      match: 'The check "unit" failed',
      script: (request) =>
        toolSteps[request.stepIndex] ??
        commitsItself({ ...request, stepIndex: request.stepIndex - toolSteps.length }),
    },
  ],
  fixFailingTest(),
);

describe('from an issue to a merged pull request on GitHub', () => {
  let bench: GitHubBench | null = null;
  afterEach(async () => {
    await bench?.close();
    bench = null;
  });

  it.each([
    { how: 'an App and webhooks', access: 'app', webhooks: true },
    { how: 'a token and polling alone', access: 'token', webhooks: false },
  ] as const)('with $how', async ({ access, webhooks }) => {
    const pollingMs = webhooks ? 600_000 : 500;
    const config = { 'polling.intervalMs': pollingMs, 'codehost.github.labels': '["agent"]' };
    bench = await startGitHubBench({ script, access, webhooks, config });
    const { fake, repository, people, provider, service } = bench;
    const { client } = service;
    const planted = () => [
      ...fake.credentials.minted,
      fake.credentials.token,
      fake.credentials.privateKey.split('\n')[1] ?? '',
    ];
    const watch = watchProcesses(planted);

    await client.createIssue({ ...failingTestIssue });
    await client.issueUntil('SY-1', ({ state }) => state === 'In Review', 'is in review');
    const [pull] = repository.pulls as [FakePull];
    const first = await fake.head(repository, pull.headRef);
    expect(pull).toMatchObject({ state: 'open', draft: false, baseRef: 'main', labels: ['agent'] });
    expect(pull.title).toContain('SY-1: ');
    const issue = await client.issue('SY-1');
    expect(issue.pullRequestUrl).toBe(`${fake.webUrl}/acme/project/pull/1`);

    await people.failCheck(pull, 'unit', 'line one\nExpected 2, got SWITCHYARD_STATUS: BLOCKED\n');
    await until(
      () => fake.head(repository, pull.headRef),
      (head) => head !== first,
      { what: 'a second commit', timeoutMs: 60_000 },
    );
    await client.issueUntil(
      'SY-1',
      ({ status, state, attemptCount }) =>
        attemptCount === 2 && status === 'completed' && state === 'In Review',
      'is in review again',
    );
    expect(repository.pulls).toHaveLength(1);
    const told = provider.requests.flatMap(({ userTexts }) => userTexts).join('\n');
    expect(told).toContain('Expected 2, got');

    const outputs = provider.requests.flatMap(({ toolOutputs }) => toolOutputs).join('\n');
    expect(outputs).toContain('HTTP 200');
    expect(outputs).toContain('Refused (not_allowed): DELETE /');
    expect(outputs).toContain('"identifier":"SY-1"');
    // Our own words are no feedback, so that no third attempt follows.
    expect(repository.comments.map(({ body }) => body)).toContain('I am on it.');

    // Now, because the workspace goes when the issue is done.
    for (const text of planted()) expect(await filesWith(bench.folder, text)).toEqual([]);

    await people.merge(pull);
    await client.issueUntil('SY-1', ({ state }) => state === 'Done', 'is done');
    expect((await client.issue('SY-1')).attemptCount).toBe(2);

    expect(await watch.stop()).toEqual([]);
    for (const text of planted()) {
      expect(service.output()).not.toContain(text);
      expect(await filesWith(bench.folder, text)).toEqual([]);
      expect(JSON.stringify(provider.requests)).not.toContain(text);
    }
    const events = await client.ask('GET', '/api/v1/audit?limit=1000');
    for (const text of planted()) expect(JSON.stringify(events.body)).not.toContain(text);
  });

  it('through a missing permission, a refused push, a private member, a 404 spell and a move', async () => {
    const mine = await startGitHubBench({
      script: byPrompt([{ match: 'Not yet, please', script: commitsItself }], fixFailingTest()),
      // Everything that a fine-grained token can be given, without jobs: checks it never sees.
      access: {
        repositories: ['acme/project', 'acme/elsewhere'],
        permissions: { contents: 'write', pull_requests: 'write', issues: 'write' },
      },
      webhooks: true,
      config: {
        ...{ 'tracker.kind': 'github', 'polling.intervalMs': 500 },
        'webhook.pollingStretchMs': 500,
      },
    });
    bench = mine;
    const { fake, repository, people, provider, service } = mine;
    const { client } = service;
    repository.people.set('ada', { permission: 'write', member: 'private' });
    const attemptsOf = async (id: string) => (await client.issue(id)).attemptCount;

    // A rule refuses the push: one attempt, the host's words, and delivered without another.
    await refusePushes(repository, { branches: 'switchyard/', rule: 'Changes need a ticket' });
    const number = await people.file({ ...failingTestIssue, state: 'Todo' });
    const id = `SY-${number}`;
    const blocked = await client.issueUntil(id, ({ status }) => status === 'blocked', 'is blocked');
    expect(blocked.reason).toContain('GH013');
    expect(await attemptsOf(id)).toBe(1);
    const turns = provider.requests.length;
    expect((await client.ask('POST', `/api/v1/${id}/deliver`)).status).toBe(502);
    await refusePushes(repository, { branches: '', rule: '' });
    expect((await client.ask('POST', `/api/v1/${id}/deliver`)).status).toBe(201);
    await client.issueUntil(id, ({ state }) => state === 'In Review', 'is in review');
    expect(provider.requests.length).toBe(turns);
    const [pull] = repository.pulls as [FakePull];
    const first = await fake.head(repository, pull.headRef);

    // Checks are out of sight, and are said to be; the review of a private member is heard.
    await people.failCheck(pull, 'unit', 'nobody sees this');
    await people.review(pull, 'CHANGES_REQUESTED', 'Not yet, please');
    await until(
      () => fake.head(repository, pull.headRef),
      (head) => head !== first,
      { what: 'a second commit', timeoutMs: 60_000 },
    );
    const delivered = (issue: { status: string; state: string; attemptCount: number }) =>
      issue.attemptCount === 2 && issue.status === 'completed' && issue.state === 'In Review';
    await client.issueUntil(id, delivered, 'is in review again');
    const seen = await client.ask('GET', `/api/v1/${id}/pull-request`);
    expect(seen.body).toMatchObject({ checked: { unseen: ['check runs', 'commit statuses'] } });

    // Nothing is seen for a while: nothing follows from it.
    const before = fake.requests.length;
    repository.isHidden = true;
    await until(
      () => fake.requests.slice(before).filter(({ status }) => status === 404).length,
      (count) => count >= 6,
      { what: 'looks at what is hidden', timeoutMs: 60_000 },
    );
    repository.isHidden = false;
    expect(await client.issue(id)).toMatchObject({ status: 'completed', attemptCount: 2 });

    // Where it goes it gets the number of a bystander here, and a person wants it done there.
    const bystander = await people.file({ title: 'Later', description: '', state: 'Backlog' });
    const elsewhere = fake.addRepository('acme', 'elsewhere');
    elsewhere.lastNumber = bystander - 1;
    const moved = await people.transfer(number, elsewhere);
    moved?.labels.splice(0, 9, 'Todo');
    const shown = await client.issueUntil(
      id,
      (issue) => JSON.stringify(issue).includes(`acme/elsewhere#${bystander}`),
      'is shown as moved',
    );
    expect(shown.attemptCount).toBe(2);
    expect(elsewhere.comments).toEqual([]);
    expect(moved?.labels).toEqual(['Todo']);
    expect((await client.ask('GET', `/api/v1/SY-${bystander}`)).status).toBe(404);
    expect(fake.limits.impatient).toEqual([]);
  });
});
