import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import { afterEach, describe, expect, it } from 'vitest';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import type { Script } from '../../control-plane/scripted-provider/scripted-provider.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';

const DONE = 'SWITCHYARD_STATUS: DONE';

let bench: Bench;
afterEach(() => bench?.close());

/** One file, then done; each agent run asks the model twice. */
const work: Script = ({ stepIndex }) =>
  stepIndex === 0 ? exec('echo done > work.txt') : say(`I did it.\n\n${DONE}`);

/** The agent has been paid for once, however often its work had to be delivered. */
function paidOnce(issue: IssueDetail): void {
  expect(issue.attempts).toHaveLength(1);
  expect(issue.attempts[0]?.turnCount).toBe(1);
  expect(bench.provider.requests).toHaveLength(2);
}

const branchOf = async (identifier: string): Promise<string> => {
  const branch = (await bench.client.issue(identifier)).attempts[0]?.branch;
  if (branch == null) throw new Error(`${identifier} has no branch`);
  return branch;
};

describe('a delivery that meets trouble', { timeout: 180_000 }, () => {
  it('goes on by itself, also after both halves were killed', async () => {
    const lockOf = (branch: string) => join(bench.repository.path, 'refs/heads', `${branch}.lock`);
    bench = await startBench({
      script: ({ stepIndex }) =>
        stepIndex === 0 ? exec('echo done > work.txt; sleep 4') : say(`I did it.\n\n${DONE}`),
    });
    const { client, repository } = bench;
    const { identifier } = await client.createIssue({ title: 'Take your time' });
    await client.commandRunning(identifier);
    await repository.git('update-ref', 'refs/heads/switchyard/other', 'main');
    const lock = lockOf(await branchOf(identifier));
    await writeFile(lock, '');
    const waiting = await client.issueUntil(
      identifier,
      ({ reasonCode }) => reasonCode === 'delivery_repeated',
      'repeats its delivery',
    );
    expect(waiting).toMatchObject({ status: 'running', reason: expect.stringContaining('.lock') });
    await bench.service.kill();
    await rm(lock);
    await bench.restart();
    const issue = await bench.client.settled(identifier);
    expect(issue, issue.reason ?? '').toMatchObject({ status: 'completed' });
    const { branch } = await bench.client.pullRequestOf(identifier);
    expect(await repository.git('show', `${branch}:work.txt`)).toBe('done');
    paidOnce(issue);
  });

  it('waits for a person where only a person can help, and keeps the work', async () => {
    bench = await startBench({ script: work });
    const { client, repository } = bench;
    // No branch below a branch can be: nothing that begins with switchyard/ fits in here.
    await repository.git('branch', 'switchyard', 'main');
    const { identifier } = await client.createIssue({ title: 'Nowhere to go' });
    const blocked = await client.settled(identifier);
    expect(blocked).toMatchObject({ status: 'blocked', reasonCode: 'delivery_refused' });
    expect(blocked.reason).toContain('switchyard');
    const refused = await client.ask('POST', `/api/v1/${identifier}/deliver`);
    expect(refused.status).toBe(502);
    await repository.git('branch', '-D', 'switchyard');
    const delivered = await client.ask('POST', `/api/v1/${identifier}/deliver`);
    expect(delivered, JSON.stringify(delivered.body)).toMatchObject({ status: 201 });
    const issue = await client.issue(identifier);
    expect(issue).toMatchObject({ status: 'completed' });
    const { branch } = await client.pullRequestOf(identifier);
    expect(await repository.git('show', `${branch}:work.txt`)).toBe('done');
    paidOnce(issue);
  });

  it('finds the default branch under its new name', async () => {
    bench = await startBench({
      script: ({ stepIndex }) =>
        stepIndex === 0 ? exec('echo done > work.txt; sleep 4') : say(`I did it.\n\n${DONE}`),
    });
    const { client, repository } = bench;
    const { identifier } = await client.createIssue({ title: 'Rename it' });
    await client.commandRunning(identifier);
    await repository.git('branch', '-m', 'main', 'trunk');
    await repository.git('symbolic-ref', 'HEAD', 'refs/heads/trunk');
    const issue = await client.settled(identifier);
    expect(issue, issue.reason ?? '').toMatchObject({ status: 'completed' });
    expect(await client.pullRequestOf(identifier)).toMatchObject({ base: 'trunk' });
    paidOnce(issue);
  });

  it('goes on for the next issue although a killed git left its lock in the mirror', async () => {
    bench = await startBench({ script: work });
    const { client, folder } = bench;
    const first = await client.createIssue({ title: 'First' });
    expect(await client.settled(first.identifier)).toMatchObject({ status: 'completed' });
    const mirrors = join(folder, 'data/runner/work/mirrors');
    for (const mirror of await foldersIn(mirrors)) await writeFile(join(mirror, 'HEAD.lock'), '');
    const second = await client.createIssue({ title: 'Second' });
    const issue = await client.settled(second.identifier, 120_000);
    expect(issue, issue.reason ?? '').toMatchObject({ status: 'completed' });
    expect(issue.attempts).toHaveLength(1);
  });
});

async function foldersIn(path: string): Promise<string[]> {
  const names = await readdir(path);
  expect(names.length).toBeGreaterThan(0);
  return names.map((name) => join(path, name));
}
