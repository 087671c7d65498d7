import { describe, expect, it } from 'vitest';
import type { CoreWorld } from '../support/core/core-world.ts';
import { DELIVERY, heldItem } from '../support/core/scripted-runner.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { sceneWithLease, sceneWithRunner } from './runner-protocol/scene.ts';

const LOCAL = { remoteAddress: '127.0.0.1' };
const make = useCoreWorlds();

const ask = (world: CoreWorld, path: string, init: RequestInit = {}) =>
  world.core.app.request(path, { ...init, headers: { Host: 'localhost' } }, LOCAL);

/** The samples whose name begins so. */
async function scrape(world: CoreWorld, name: string): Promise<string[]> {
  const text = await (await ask(world, '/metrics')).text();
  return text.split('\n').filter((line) => line.startsWith(name));
}

describe('GET /metrics', () => {
  it('answers the text format and counts against the limit of the API', async () => {
    const world = await make({ SERVICE_CONFIG__limits__apiPerMinute: '1' });
    const answer = await ask(world, '/metrics');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const second = await ask(world, '/metrics');
    expect(second.status).toBe(429);
    expect(second.headers.get('Retry-After')).toMatch(/^\d+$/);
  });

  it('counts every answer by method and status, refusals too', async () => {
    const world = await make();
    await ask(world, '/api/v1/state');
    await ask(world, '/api/v1/NO-1');
    await ask(world, '/api/v1/state', { method: 'POST' });
    await ask(world, '/healthz', { method: 'PROPFIND' });
    expect((await scrape(world, 'service_http_requests_total{')).sort()).toEqual([
      'service_http_requests_total{method="GET",status="200"} 1',
      'service_http_requests_total{method="GET",status="404"} 1',
      'service_http_requests_total{method="OTHER",status="404"} 1',
      'service_http_requests_total{method="POST",status="405"} 1',
    ]);
    const counts = await scrape(world, 'service_http_request_duration_seconds_count');
    expect(counts).toContain('service_http_request_duration_seconds_count{method="POST"} 1');
  });

  it('counts looks at the tracker, but not runs of the coordinator in between', async () => {
    const world = await make();
    await world.tick();
    await world.tick();
    expect(await scrape(world, 'service_orchestrator_polls_total{')).toEqual([
      'service_orchestrator_polls_total{status="success"} 1',
    ]);
    await world.pass(15_000);
    expect(await scrape(world, 'service_orchestrator_polls_total{')).toEqual([
      'service_orchestrator_polls_total{status="success"} 2',
    ]);
  });

  it('counts each attempt once by its outcome, and cancelled ones not at all', async () => {
    const ends = [
      { outcome: 'failed', failureKind: 'agent_error' },
      { outcome: 'oom', failureKind: 'container_oom' },
      { outcome: 'stalled', failureKind: 'turn_stalled' },
      { outcome: 'cancelled' },
    ] as const;
    const { world, runner, lease } = await sceneWithLease(make);
    await runner.finish(lease, { outcome: 'completed', marker: 'DONE', delivery: DELIVERY });
    // Counted when the pull request is open, not before.
    expect(await scrape(world, 'service_agent_runs_total{')).toEqual([]);
    await world.tick();
    for (const end of ends) {
      await world.createIssue();
      await world.tick();
      const held = await runner.accept(runner.offer());
      await runner.finish(held, end);
      await runner.finish(held, end);
    }
    expect(await scrape(world, 'service_agent_runs_total{')).toEqual([
      'service_agent_runs_total{outcome="completed"} 1',
      'service_agent_runs_total{outcome="failed"} 1',
      'service_agent_runs_total{outcome="oom"} 1',
      'service_agent_runs_total{outcome="stalled"} 1',
    ]);
  });

  it('shows what a container uses while it runs, and nothing of it afterwards', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    expect(await scrape(world, 'service_container_cpu_percent{')).toEqual([]);
    await runner.sendOne({
      ...runner.renewMessage([heldItem(lease)]),
      load: {
        [lease.attemptId]: { cpuPercent: 87.5, memoryPercent: 12 },
        att_of_somebody_else: { cpuPercent: 1, memoryPercent: 1 },
      },
    });
    const container = `{container="${lease.attemptId}"}`;
    expect(await scrape(world, 'service_container_')).toEqual([
      `service_container_cpu_percent${container} 87.5`,
      `service_container_memory_percent${container} 12`,
    ]);
    await runner.finish(lease, { outcome: 'failed' });
    expect(await scrape(world, 'service_container_')).toEqual([]);
  });

  it('forgets the container of a runner that was lost', async () => {
    const { world, runner } = await sceneWithRunner(make, {
      variables: { SERVICE_CONFIG__polling__intervalMs: '3600000' },
    });
    await world.createIssue();
    await world.tick();
    const lease = await runner.accept(runner.offer());
    const load = { [lease.attemptId]: { cpuPercent: 1, memoryPercent: 1 } };
    await runner.sendOne({ ...runner.renewMessage([heldItem(lease)]), load });
    const { ttlMs, graceMs } = world.deps.service.leaseTimes;
    await world.pass(2 * (ttlMs + graceMs));
    expect(await scrape(world, 'service_container_')).toEqual([]);
  });
});
