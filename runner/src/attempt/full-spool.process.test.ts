import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ModelReport } from '../egress/model/model-report.ts';
import { limits, useHost } from './testing/use-host.ts';

const MAX_SPOOL_BYTES = 16_384;
const BEYOND_LEASE_MS = 300_000;
const rig = useHost();
const { container, hang, offer, turn, until } = rig;

/** What the proxy has counted after some answers of the model. */
const reportAfter = (answers: number): ModelReport => {
  const tokens = { input: answers, cachedInput: 0, output: 0, reasoning: 0, total: answers };
  return {
    sinceMs: 1,
    answers,
    tokens,
    uncounted: 0,
    byModel: {},
    last: null,
    refusal: null,
    active: 0,
    silentSinceMs: null,
    lastEndMs: null,
  };
};

function disconnect(): void {
  rig.runner.wire.refuse = true;
  rig.runner.wire.cut();
}

describe('an attempt whose events find no room', { timeout: 60_000 }, () => {
  it('gives its slot back when its lease ends, whatever it still had to report', async () => {
    await rig.restart({ maxSpoolBytes: MAX_SPOOL_BYTES });
    rig.world.model = reportAfter(0);
    hang();
    offer();
    const one = await turn();
    const engine = await container();
    disconnect();
    for (let line = 0; line < 40; line += 1) one.message('x'.repeat(1_000));
    const ref = { attemptId: 'att_00000001', epoch: 1 };
    await until(
      'a full spool',
      () => (rig.runner.spool.stream(ref)?.bytes ?? 0) > MAX_SPOOL_BYTES - 1_200,
    );
    // What the proxy counted last is told at the end, for which there is no room either.
    rig.world.model = reportAfter(1);
    await rig.world.clock.advance(BEYOND_LEASE_MS);
    expect(engine.removed).toBe(true);
    expect(rig.runner.host.isIdle()).toBe(true);
  });

  it('gives it back also where a step waits for room', async () => {
    await rig.restart({ maxSpoolBytes: 1_024 });
    const [started, goOn, ended] = ['started', 'go-on', 'ended'].map((name) =>
      join(rig.world.fixture.folder, name),
    ) as [string, string, string];
    const wait = `touch ${started}; until [ -e ${goOn} ]; do sleep 0.1; done`;
    offer({
      hooks: { beforeRun: `${wait}; head -c 4000 /dev/zero | tr '\\0' x; touch ${ended}` },
      limits: { ...limits, hookMs: 600_000 },
    });
    await until('the hook', () => existsSync(started));
    disconnect();
    await writeFile(goOn, '');
    await until('the end of the hook', () => existsSync(ended));
    await rig.world.clock.advance(BEYOND_LEASE_MS);
    await until('the end of the attempt', () => rig.runner.host.isIdle());
    expect(rig.world.containers.started).toEqual([]);
  });
});
