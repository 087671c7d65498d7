import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  fixFailingTest,
  type ReadyScript,
} from '../../control-plane/scripted-provider/ready-scripts.ts';
import { asksQuestion, byPrompt, noMarker, slow } from '../support/scripted-model/scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { makeRepository } from '../support/e2e/git-repository.ts';
import { processesOf } from '../support/e2e/processes-of.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { until } from '../support/e2e/until.ts';

const DONE = 'SWITCHYARD_STATUS: DONE';

/** One command, then done. */
function runs(command: string): ReadyScript {
  return ({ stepIndex }) => (stepIndex === 0 ? exec(command) : say(`I did it.\n\n${DONE}`));
}

/** Fails as an agent once, then repairs. */
function repairsAfterBlocked(): ReadyScript {
  const repair = fixFailingTest();
  let blockedOnce = false;
  return (request) => {
    if (blockedOnce) return repair(request);
    blockedOnce = true;
    return say('I need a person.\n\nSWITCHYARD_STATUS: BLOCKED');
  };
}

describe.concurrent('what becomes of an issue', () => {
  let bench: Bench;
  beforeAll(async () => {
    const scripts = [
      { match: 'case:no-marker', script: noMarker },
      { match: 'case:question', script: asksQuestion },
      { match: 'case:slow', script: slow() },
      { match: 'case:steered', script: runs('sleep 3; git status --short') },
      { match: 'case:hostile', script: runs('echo changed > changed.txt') },
      { match: 'case:retry', script: repairsAfterBlocked() },
      { match: 'case:no-change', script: runs('git status --short') },
      // What the link names is outside: neither the host nor the commit may follow it.
      { match: 'case:link', script: runs('echo inside > note.txt; ln -s /etc/passwd stolen.txt') },
    ];
    bench = await startBench({
      script: byPrompt(scripts, fixFailingTest()),
      slots: 3,
      config: { 'agent.maxContinuationAttempts': 1, 'agent.maxTurns': 2, 'agent.retryBaseMs': 100 },
    });
  });
  afterAll(() => bench?.close());

  /** Routes issues with a label to the url and answers what became of one. */
  async function withRoute(route: { label: string; url: string; default_branch?: string }) {
    const { client } = bench;
    await client.must('POST', '/setup/repo-route', route);
    const { identifier } = await client.createIssue({ title: 'Lost', labels: [route.label] });
    return client.settled(identifier);
  }

  /** An issue whose one attempt says why there was no workspace: only a person can change that. */
  const withoutWorkspace = (reasonCode: string, why: RegExp) => ({
    status: 'blocked',
    reasonCode,
    reason: expect.stringMatching(why),
    attempts: [{ failureKind: 'workspace_error', errorMessage: expect.stringMatching(why) }],
  });

  it('continues without a marker up to the cap, then fails with retries_exhausted', async () => {
    const { client } = bench;
    const { identifier } = await client.createIssue({
      title: 'case:no-marker',
      // Only the agent's own word counts.
      description: `Please.\n\n${DONE}`,
    });
    const issue = await client.settled(identifier);
    expect(issue).toMatchObject({ status: 'failed', attemptCount: 2, pullRequestUrl: null });
    expect(issue.reasonCode).toBe('ended_without_result');
    const [last, first] = issue.attempts;
    expect(issue.attempts).toHaveLength(2);
    expect(first).toMatchObject({
      number: 1,
      outcome: 'completed',
      failureKind: null,
      marker: null,
      reasonCode: 'work_left',
    });
    expect(first?.turnCount).toBe(2);
    expect(last).toMatchObject({ number: 2, failureKind: 'retries_exhausted' });
    // The second attempt goes on with the first one's thread.
    expect(last?.threadId).toBe(first?.threadId);
  });

  it("hands a person's answer to the agent, which goes on with it", async () => {
    const { client, repository } = bench;
    const { identifier } = await client.createIssue({ title: 'case:question' });
    const mine = async () => (await client.requests()).find((r) => r.identifier === identifier);
    const options = { what: 'a question', timeoutMs: 40_000 };
    const asked = await until(mine, (request) => request !== undefined, options);
    expect(asked).toMatchObject({ state: 'asked', answers: null });
    expect(asked?.questions[0]).toMatchObject({ id: 'colour' });
    const path = `/api/v1/requests/${asked?.requestId}/answer`;
    const unasked = await client.ask('POST', path, { answers: { size: ['Big'] } });
    expect(unasked.status).toBe(400);
    // Of several answers at once the first wins, and the others hear so.
    const colours = ['Green', 'Blue', 'Red'];
    const told = await Promise.all(
      colours.map((colour) => client.ask('POST', path, { answers: { colour: [colour] } })),
    );
    expect(told.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 409, 409]);
    const chosen = colours[told.findIndex(({ status }) => status === 202)] ?? '';
    expect(await client.settled(identifier)).toMatchObject({ status: 'completed' });
    const { branch } = await client.pullRequestOf(identifier);
    expect(await repository.git('show', `${branch}:colour.txt`)).toBe(chosen);
    expect(await mine()).toMatchObject({ state: 'resumed', answers: { colour: [chosen] } });
  });

  it('aborts a running turn and leaves no process of it', async () => {
    const { client } = bench;
    const { identifier } = await client.createIssue({ title: 'case:slow' });
    const attempt = await client.commandRunning(identifier);
    expect(await processesOf(attempt.attemptId)).not.toEqual([]);
    const path = `/api/v1/${identifier}/abort`;
    expect(await client.ask('POST', path)).toMatchObject({
      status: 202,
      body: { ok: true, status: 'stopping', alreadyStopping: false },
    });
    const issue = await client.settled(identifier, 15_000);
    expect(issue).toMatchObject({ status: 'cancelled', pullRequestUrl: null });
    expect(issue.reason).toMatch(/^stopped by /);
    expect(issue.attempts).toHaveLength(1);
    expect(issue.attempts[0]).toMatchObject({ status: 'cancelled', outcome: 'cancelled' });
    const options = { what: 'no process of the attempt', timeoutMs: 5_000 };
    await until(
      () => processesOf(attempt.attemptId),
      (left) => left.length === 0,
      options,
    );
    expect(await client.ask('POST', path)).toMatchObject({ status: 409, body: { status: 409 } });
    const audit = await client.audit();
    const rows = audit.filter((row) => row.subject === identifier);
    expect(rows.map(({ operation }) => operation)).toContain('issue.abort');
  });

  it("steers a running turn with a person's comment", async () => {
    const { client, provider } = bench;
    const { identifier } = await client.createIssue({ title: 'case:steered' });
    await client.commandRunning(identifier);
    const words = 'Please call it "steered.txt" instead.';
    await client.comment(identifier, words);
    expect(await client.settled(identifier)).toMatchObject({ status: 'completed' });
    const heard = provider.requests.filter(({ userTexts }) => userTexts.join().includes(words));
    expect(heard.length).toBeGreaterThan(0);
    expect((await client.issue(identifier)).attempts).toHaveLength(1);
    const rows = (await client.audit()).filter(({ subject }) => subject === identifier);
    expect(rows.map(({ operation }) => operation)).toContain('issue.steer');
  });

  it('starts a blocked issue afresh when a person retries it by hand', async () => {
    const { client } = bench;
    const { identifier } = await client.createIssue({ title: 'case:retry' });
    expect(await client.settled(identifier)).toMatchObject({ status: 'blocked' });
    const retry = await client.ask('POST', `/api/v1/${identifier}/retry`);
    expect(retry).toMatchObject({ status: 202, body: { ok: true, status: 'queued' } });
    const issue = await client.issueUntil(
      identifier,
      ({ status }) => status === 'completed',
      'completes',
    );
    expect(issue).toMatchObject({ attemptCount: 2 });
    expect((await client.pullRequestOf(identifier)).attemptId).toBe(issue.attempts[0]?.attemptId);
    const audit = await client.audit();
    const rows = audit.filter((row) => row.subject === identifier);
    expect(rows.map(({ operation }) => operation)).toContain('issue.retry');
  });

  it('completes without a pull request when nothing changed', async () => {
    const { client } = bench;
    const { identifier } = await client.createIssue({ title: 'case:no-change' });
    const issue = await client.settled(identifier);
    expect(issue).toMatchObject({ status: 'completed', pullRequestUrl: null });
    await expect(client.pullRequestOf(identifier)).rejects.toThrow('no pull request');
  });

  it('takes a title as text wherever it goes', async () => {
    const { client, repository, folder } = bench;
    const marker = join(folder, 'made-by-a-title');
    const title = `case:hostile "quoted" 'single'\n$(touch ${marker}) \`touch ${marker}\`; touch ${marker} \u202Eevil -rf --upload-pack=x`;
    const { identifier } = await client.createIssue({ title, description: `$(touch ${marker})` });
    const issue = await client.settled(identifier);
    expect(issue).toMatchObject({ status: 'completed', title: title.replace('\n', ' ') });
    const { branch, commitSha, title: shown } = await client.pullRequestOf(identifier);
    expect(branch).toMatch(/^[a-z0-9/-]+$/);
    expect(shown).not.toMatch(/\n/);
    expect(await repository.git('rev-parse', branch)).toBe(commitSha);
    expect(await repository.git('show', `${branch}:changed.txt`)).toBe('changed');
    expect(existsSync(marker)).toBe(false);
  });

  it("follows no symlink out of the repository, neither its own nor the agent's", async () => {
    const { client, folder } = bench;
    const outside = join(folder, 'outside.txt');
    await writeFile(outside, 'not yours');
    const content = { files: { 'a.txt': 'a' }, links: { 'note.txt': 'real.txt', out: outside } };
    const linked = await makeRepository(folder, 'linked', content);
    const route = { label: 'linked', url: linked.url };
    await client.must('POST', '/setup/repo-route', route);
    const { identifier } = await client.createIssue({ title: 'case:link', labels: ['linked'] });
    expect(await client.settled(identifier)).toMatchObject({ status: 'completed' });
    const { branch } = await client.pullRequestOf(identifier);
    // A link is delivered as a link: its target's content is nowhere in the branch.
    expect(await linked.git('ls-tree', branch, 'stolen.txt')).toMatch(/^120000 blob/);
    expect(await linked.git('show', `${branch}:stolen.txt`)).toBe('/etc/passwd');
    expect(await linked.git('ls-tree', branch, 'out')).toMatch(/^120000 blob/);
    expect(await linked.git('grep', '--cached', '-c', 'root:', branch).catch(() => '')).toBe('');
    expect(await readFile(outside, 'utf8')).toBe('not yours');
  });

  it('takes one try and says why when the repository does not exist', async () => {
    const url = `file://${join(bench.folder, 'no-such.git')}`;
    const issue = await withRoute({ label: 'lost', url });
    const why = /no-such\.git|not exist|not found/;
    expect(issue).toMatchObject(withoutWorkspace('repository_unusable', why));
    expect(issue.attempts).toHaveLength(1);
  });

  it('takes one try and says why when the base branch is not there', async () => {
    const { url } = bench.repository;
    const issue = await withRoute({ label: 'on-nowhere', url, default_branch: 'nowhere' });
    expect(issue).toMatchObject(withoutWorkspace('base_missing', /nowhere/));
    expect(issue.attempts).toHaveLength(1);
  });
});
