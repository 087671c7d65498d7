import { join } from 'node:path';
import type { AttemptCheckList } from '@switchyard/shared/checks/attempt-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  fixFailingTest,
  type ReadyScript,
} from '../../control-plane/scripted-provider/ready-scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { byPrompt } from '../support/scripted-model/scripts.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';

const DONE = 'SWITCHYARD_STATUS: DONE';
const IS_THERE = { name: 'is there', command: 'test -s work.txt' };
/** What it prints stands nowhere in its command. */
const IS_GOOD = {
  name: 'is good',
  command: 'word=$(cat work.txt); [ "$word" = good ] || { echo "work.txt says: $word"; exit 3; }',
};
const FAILED_OUTPUT = 'work.txt says: bad';

/** Its work is bad; it is good once the agent was told what a check printed, if it obeys. */
const works =
  (obeys: boolean): ReadyScript =>
  ({ stepIndex, userTexts }) => {
    if (stepIndex > 0) return say(`I did it.\n\n${DONE}`);
    const isReported = userTexts.at(-1)?.includes(FAILED_OUTPUT) === true;
    return exec(`echo ${isReported && obeys ? 'good' : 'bad'} > work.txt`);
  };

describe('the checks that a repository declares', { timeout: 180_000 }, () => {
  let bench: Bench;

  beforeAll(async () => {
    const scripts = [
      { match: 'case:mends', script: works(true) },
      { match: 'case:leaves', script: works(false) },
    ];
    bench = await startBench({ script: byPrompt(scripts, fixFailingTest()) });
  });
  afterAll(() => bench?.close());

  /** What became of an issue in a repository with these checks. */
  async function settled(label: string, checks: { name: string; command: string }[]) {
    const { client, repository } = bench;
    await client.must('POST', '/setup/repo-route', { label, url: repository.url, checks });
    const { identifier } = await client.createIssue({ title: `case:${label}`, labels: [label] });
    const issue = await client.settled(identifier, 120_000);
    const [attempt] = issue.attempts;
    const path = `/attempts/${attempt?.attemptId}/checks`;
    const { checks: found } = await client.must<AttemptCheckList>('GET', path);
    return { issue, attempt, checks: found };
  }

  it('are passed by the commit of the pull request, after the agent mended what failed', async () => {
    const { client, repository } = bench;
    const { issue, attempt, checks } = await settled('mends', [IS_THERE, IS_GOOD]);
    expect(issue, issue.reason ?? '').toMatchObject({ status: 'completed', attemptCount: 1 });
    expect(attempt?.turnCount).toBe(2);
    const pullRequest = await client.pullRequestOf(issue.identifier);
    const { branch, commitSha, body } = pullRequest;
    expect(pullRequest.draft).toBe(false);
    expect(await repository.git('rev-parse', branch)).toBe(commitSha);
    expect(await repository.git('show', `${branch}:work.txt`)).toBe('good');
    const passed = { state: 'passed', exitCode: 0, runs: 1, changedFiles: [], commitSha };
    expect(checks).toMatchObject([
      { ...IS_THERE, ...passed },
      { ...IS_GOOD, ...passed },
    ]);
    const section = body.slice(body.indexOf('## Checks'));
    expect(section).toMatch(/is there.*passed[^]*is good.*passed/);
    expect(section).not.toContain('failed');
    expect(section).toContain(commitSha.slice(0, 7));
  });

  it('keep work that fails them from being delivered, except as a draft that says so', async () => {
    const { client, repository } = bench;
    const { issue, attempt, checks } = await settled('leaves', [IS_THERE, IS_GOOD]);
    const { identifier } = issue;
    expect(issue).toMatchObject({ status: 'blocked', reasonCode: 'checks_failed' });
    expect(issue.reason).toContain(IS_GOOD.name);
    // It was told three times.
    expect(attempt).toMatchObject({ failureKind: 'delivery_refused', turnCount: 4 });
    expect(checks).toMatchObject([
      { name: IS_THERE.name, state: 'passed' },
      { name: IS_GOOD.name, state: 'failed', exitCode: 3 },
    ]);
    expect(checks[1]?.output).toContain(FAILED_OUTPUT);
    expect(issue.pullRequestUrl).toBeNull();
    await expect(client.pullRequestOf(identifier)).rejects.toThrow('no pull request');
    const again = await client.ask('POST', `/api/v1/${identifier}/deliver`);
    expect(again, JSON.stringify(again.body)).toMatchObject({ status: 409 });
    const published = await client.ask('POST', `/api/v1/${identifier}/publish`);
    expect(published.status, JSON.stringify(published.body)).toBeLessThan(300);
    const draft = await client.pullRequestOf(identifier);
    expect(draft).toMatchObject({ draft: true, status: 'open', commitSha: checks[1]?.commitSha });
    expect(draft.body).toMatch(/is good.*failed with exit code 3/);
    expect(draft.body).toContain(FAILED_OUTPUT);
    expect(await repository.git('show', `${draft.branch}:work.txt`)).toBe('bad');
  });

  it('may fail once, and the pull request says that the second run passed', async () => {
    const mark = join(bench.folder, 'ran-before');
    const flaky = { name: 'flaky', command: `if mkdir '${mark}'; then exit 1; fi` };
    const { issue, attempt, checks } = await settled('flaky', [flaky]);
    expect(issue, issue.reason ?? '').toMatchObject({ status: 'completed' });
    expect(attempt?.turnCount).toBe(1);
    expect(checks).toMatchObject([{ name: 'flaky', state: 'passed', exitCode: 0, runs: 2 }]);
    const { body } = await bench.client.pullRequestOf(issue.identifier);
    expect(body).toMatch(/flaky.*passed at the second run/);
  });
});
