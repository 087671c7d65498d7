import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byPrompt, commitsItself } from '../support/scripted-model/scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { until } from '../support/e2e/until.ts';

const RUNNER = 'lib/runner.js run';
const steps = [
  exec('sleep 12 && echo woke > woke.txt', 30_000),
  say('Woke.\n\nSWITCHYARD_STATUS: DONE'),
];

describe('control plane and runner that are killed at once', { timeout: 120_000 }, () => {
  let bench: Bench;
  beforeAll(async () => {
    const sleepy = ({ stepIndex }: { stepIndex: number }) => steps[stepIndex] ?? steps[1]!;
    bench = await startBench({
      script: byPrompt([{ match: 'sleep', script: sleepy }], commitsItself),
    });
  });
  afterAll(() => bench?.close());

  async function runnerPids(): Promise<number[]> {
    const all = await bench.service.processes();
    return all.filter(({ command }) => command.includes(RUNNER)).map(({ pid }) => pid);
  }

  it('go on at once with the attempt, which the new runner adopted', async () => {
    const { identifier } = await bench.client.createIssue({ title: 'sleep a while' });
    const before = await bench.client.commandRunning(identifier);
    const pids = await runnerPids();
    expect(pids).toHaveLength(1);
    for (const pid of [bench.service.pid, ...pids]) process.kill(pid, 'SIGKILL');
    await until(runnerPids, (left) => left.length === 0, { what: 'no runner', timeoutMs: 10_000 });
    await bench.restart();
    const issue = await bench.client.settled(identifier, 40_000);
    expect(issue).toMatchObject({ status: 'completed', attemptCount: 1 });
    const [attempt] = issue.attempts;
    expect(attempt).toMatchObject({
      attemptId: before.attemptId,
      leaseEpoch: before.leaseEpoch,
      outcome: 'completed',
    });
    expect(bench.service.output()).not.toContain('another process');
  });

  it('leave no runner behind, however often the control plane is killed while it starts one', async () => {
    const { identifier } = await bench.client.createIssue({ title: 'sleep again' });
    await bench.client.commandRunning(identifier);
    const [former] = await runnerPids();
    // The former runner still has an attempt to end, so the new one waits for the journal.
    process.kill(bench.service.pid, 'SIGKILL');
    await bench.restart().catch(() => undefined);
    const waiting = await until(runnerPids, (pids) => pids.length === 2, {
      what: 'a second runner that waits',
      timeoutMs: 30_000,
    });
    process.kill(bench.service.pid, 'SIGKILL');
    // The former one may still end its attempt; the one that never began has nothing to do.
    const left = await until(runnerPids, (pids) => pids.length < 2, {
      what: 'no second runner without its control plane',
      timeoutMs: 10_000,
    });
    expect(left).toEqual([former]);
    expect(waiting).toContain(former);
  });
});
