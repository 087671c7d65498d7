import { describe, expect, it } from 'vitest';
import type { Isolation } from '@switchyard/shared/sandbox/isolation';
import type { ContainerEngine } from './container-engine.ts';
import { pinnedEngine, SwitchingEngine } from './switching-engine.ts';

/** As much of an engine as is asked here. */
function engineOf(isolation: Isolation, closed: Isolation[]): ContainerEngine {
  const containerId = isolation === 'process' ? 'process-att_1-1' : 'f00d';
  return {
    isolation,
    workIdentity: isolation === 'docker' ? { uid: 1, gid: 1 } : null,
    list: async () => [{ containerId }],
    stats: async () => ({ cpuPercent: isolation === 'docker' ? 2 : 1, memoryPercent: 0 }),
    ...(isolation === 'docker' ? { levelOf: () => 'container', converse: () => undefined } : {}),
    close: async () => void closed.push(isolation),
  } as unknown as ContainerEngine;
}

describe('isolation that changes', () => {
  it('is for what begins later; what began keeps its own and is still found', async () => {
    const closed: Isolation[] = [];
    const processes = engineOf('process', closed);
    const docker = engineOf('docker', closed);
    const engine = new SwitchingEngine(processes, []);
    const before = pinnedEngine(engine);
    expect([engine.isolation, engine.levelOf(undefined)]).toEqual(['process', null]);
    engine.switchTo(docker);
    expect(before).toBe(processes);
    expect(pinnedEngine(engine)).toBe(docker);
    expect(pinnedEngine(engine, 'process')).toBe(processes);
    expect([engine.isolation, engine.levelOf(undefined)]).toEqual(['docker', 'container']);
    expect(engine.workIdentity).toEqual({ uid: 1, gid: 1 });
    const listed = (await engine.list('run_1')).map(({ containerId }) => containerId);
    expect(listed.toSorted()).toEqual(['f00d', 'process-att_1-1']);
    const owner = { runnerId: 'run_1', attemptId: 'att_1', epoch: 1, bootId: 'b' };
    const loads = await Promise.all(
      listed.map((containerId) => engine.stats({ containerId, owner })),
    );
    expect(loads.map((load) => load?.cpuPercent).toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual([
      1, 2,
    ]);
    await engine.close();
    expect(closed.toSorted()).toEqual(['docker', 'process']);
  });

  it('never changes for an engine that cannot', () => {
    const docker = engineOf('docker', []);
    expect(pinnedEngine(docker, 'process')).toBe(docker);
  });
});
