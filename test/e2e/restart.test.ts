import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { blocked, byPrompt, slow } from '../support/scripted-model/scripts.ts';
import { EventReader } from '../support/e2e/event-reader.ts';
import { processesOf } from '../support/e2e/processes-of.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { until } from '../support/e2e/until.ts';

// The service is stopped and started on the same data: the order matters.
describe('a service that is stopped and started again', () => {
  let bench: Bench;
  const before: { issues: unknown[]; events: unknown[] } = { issues: [], events: [] };

  beforeAll(async () => {
    const scripts = [
      { match: 'case:blocked', script: blocked },
      { match: 'case:slow', script: slow() },
    ];
    const config = { 'agent.maxContinuationAttempts': 1, 'polling.intervalMs': 200 };
    bench = await startBench({ script: byPrompt(scripts, fixFailingTest()), config });
  });
  afterAll(() => bench?.close());

  async function replay(last: number): Promise<unknown[]> {
    const reader = await EventReader.open(bench.client.url, { query: '?after=0' });
    await reader.waitFor(({ seq }) => seq >= last);
    await reader.close();
    return reader.frames.map(({ event }) => event).filter(({ seq }) => seq <= last);
  }

  /** Sees the tracker polled so many times from now on. */
  async function polls(count: number): Promise<void> {
    const reader = await EventReader.open(bench.client.url, { query: '?types=poll.completed' });
    const look = () => reader.frames.length;
    const options = { what: `${count} polls`, timeoutMs: 20_000 };
    try {
      await until(look, (seen) => seen >= count, options);
    } finally {
      await reader.close();
    }
  }

  it('runs a blocked issue once, however often the tracker is polled', async () => {
    const { client } = bench;
    await client.createIssue({ title: 'case:blocked' });
    const issue = await client.settled('SY-1');
    expect(issue).toMatchObject({ status: 'blocked', attemptCount: 1, state: 'In Progress' });
    expect(issue.reason).toMatch(/blocked|access to the staging database/);
    await polls(4);
    expect(await client.issue('SY-1')).toMatchObject({ status: 'blocked', attemptCount: 1 });
  });

  it('ends at SIGTERM with exit code 0 and leaves no process', async () => {
    const { client } = bench;
    await client.createIssue({ title: 'Fix it' });
    expect(await client.settled('SY-2')).toMatchObject({ status: 'completed' });
    await client.issueUntil('SY-2', ({ state }) => state === 'In Review', 'is in review');
    // What the tracker shows of our own last moves is read back with the next poll.
    await polls(2);
    before.issues = [await client.issue('SY-1'), await client.issue('SY-2')];
    before.events = await replay(30);
    const stopped = await bench.service.stop('SIGTERM');
    expect(stopped, bench.service.output()).toMatchObject({ code: 0, signal: null });
    expect(await bench.service.processes()).toEqual([]);
  });

  it('finds issues, attempts and history again', async () => {
    await bench.restart();
    const { client } = bench;
    expect([await client.issue('SY-1'), await client.issue('SY-2')]).toEqual(before.issues);
    expect(await replay(30)).toEqual(before.events);
    expect((await client.runners()).length).toBe(1);
  });

  it('leaves blocked and completed issues alone', async () => {
    await polls(4);
    const { client } = bench;
    expect(await client.issue('SY-1')).toMatchObject({ status: 'blocked', attemptCount: 1 });
    expect(await client.issue('SY-2')).toMatchObject({ status: 'completed', attemptCount: 1 });
  });

  it("wakes a blocked issue with a person's comment", async () => {
    const { client, provider } = bench;
    provider.setScript(fixFailingTest());
    await client.comment('SY-1', 'The database is open for you now.');
    const issue = await client.issueUntil('SY-1', ({ status }) => status === 'completed', 'done');
    expect(issue.attempts).toHaveLength(2);
    expect(await client.pullRequestOf('SY-1')).toMatchObject({ status: 'open' });
  });

  it('ends the same way while an agent works and someone watches, and goes on later', async () => {
    const { client, provider } = bench;
    provider.setScript(slow());
    const { identifier } = await client.createIssue({ title: 'case:slow' });
    const attempt = await client.commandRunning(identifier);
    const watcher = await EventReader.open(client.url, { query: '?after=0' });
    const stopped = await bench.service.stop('SIGTERM');
    expect(stopped, bench.service.output()).toMatchObject({ code: 0, signal: null });
    await watcher.ended();
    expect(await bench.service.processes()).toEqual([]);
    expect(await processesOf(attempt.attemptId)).toEqual([]);

    provider.setScript(fixFailingTest());
    await bench.restart();
    const issue = await bench.client.settled(identifier);
    expect(issue).toMatchObject({ status: 'completed' });
    // Given back in good order: the same attempt goes on under the next lease.
    expect(issue.attempts).toHaveLength(1);
    expect(issue.attempts[0]).toMatchObject({ attemptId: attempt.attemptId });
    expect(issue.attempts[0]?.leaseEpoch).toBeGreaterThan(attempt.leaseEpoch);
  });
});
