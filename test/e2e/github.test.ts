import { afterEach, describe, expect, it } from 'vitest';
import { failingTestIssue } from '../../control-plane/scripted-provider/failing-test-project.ts';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { byPrompt, commitsItself } from '../support/scripted-model/scripts.ts';
import type { Step } from '../../control-plane/scripted-provider/step.ts';
import { filesWith } from '../support/e2e/files-with.ts';
import { until } from '../support/e2e/until.ts';
import type { FakePull } from '../support/github/fake-state.ts';
import { type GitHubBench, startGitHubBench } from '../support/github/github-bench.ts';
import { runGitHubTrouble } from '../support/github/run-github-trouble.ts';
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
    const steps: string[] = [];
    await runGitHubTrouble((line) => steps.push(line));
    expect(steps).toHaveLength(6);
  });
});
