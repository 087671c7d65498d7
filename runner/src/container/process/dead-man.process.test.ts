import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { EngineContainerSpec } from '../container-engine.ts';
import { attemptMarker } from './attempt-environment.ts';
import { findMarked } from './process-identity.ts';
import { gone, read, runnerId, sh, useProcessEngine } from './testing/use-process-engine.ts';

const rig = useProcessEngine();

describe('an engine with a deadline', () => {
  const working = sh(`trap 'exit 0' TERM; setsid sleep 300 & echo up; wait`);
  const renew = (counter: number, remainingMs: number): Promise<void> =>
    writeFile(join(rig.folder, 'deadline'), `${counter} ${remainingMs}\n`);

  it('ends with everything it started when its lease is not renewed', async () => {
    await renew(1, 60_000);
    const wanted = rig.spec(working);
    const container = await rig.engine.start(wanted);
    await read(container, 0, (text) => text.includes('up'));
    await rig.engine.close();
    await renew(2, 300);
    await gone(wanted);
    rig.engine = rig.newEngine();
    const [found] = await rig.engine.list(runnerId);
    expect(await found?.exited).toEqual({ exitCode: 143, signal: 'SIGTERM', oom: false });
    expect(await found?.stderrTail(1000)).toContain('the lease was not renewed in time');
  });

  it('is killed when it does not go by itself', async () => {
    await renew(1, 300);
    const wanted = rig.spec(sh(`trap '' TERM; while :; do sleep 1; done`));
    const container = await rig.engine.start(wanted);
    expect(await container.exited).toMatchObject({ exitCode: 143 });
    await gone(wanted);
  });

  it('lives as long as renewals come', async () => {
    await renew(1, 3_000);
    const container = await rig.engine.start(rig.spec(working));
    await read(container, 0, (text) => text.includes('up'));
    let ended = false;
    void container.exited.then(() => (ended = true));
    const startedMs = Date.now();
    for (let counter = 2; Date.now() - startedMs < 4_500; counter += 1) {
      await renew(counter, 3_000);
      await delay(100);
    }
    expect(ended).toBe(false);
    expect(await container.exited).toMatchObject({ exitCode: 143 });
  });

  it('leaves no dead-man behind when its engine ends', async () => {
    await renew(1, 60_000);
    const wanted = rig.spec(sh('read a'));
    const container = await rig.engine.start(wanted);
    await expect.poll(() => deadMen(wanted)).toHaveLength(1);
    await rig.engine.close();
    await writeFile(join(wanted.stateFolder, 'stdin'), 'go\n');
    await gone(wanted);
    expect(container.owner).toEqual(wanted.owner);
  });
});

async function deadMen(wanted: EngineContainerSpec): Promise<number[]> {
  const pids = await findMarked(attemptMarker(wanted.owner));
  const commands = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return pids.filter((_pid, at) => commands[at]?.startsWith(process.execPath));
}
