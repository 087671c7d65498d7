import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { offerTo } from '../testing/host-rig.ts';
import { useHost } from '../testing/use-host.ts';

const rig = useHost();
const { finished, payloads, until, workspace } = rig;

const stored = () => [...rig.world.blobs.keys()].filter((key) => key.includes('/artifact-'));

function work(...names: string[]): void {
  rig.world.engine.script = async (turn) => {
    await rig.edit();
    for (const name of names) await rig.world.fixture.write(join(workspace(), 'out', name), name);
    turn.message('Fixed.\n\nSWITCHYARD_STATUS: DONE');
    turn.end();
  };
}

/** Does something while the second file is on its way. */
function whileSecond(act: () => unknown): void {
  let files = 0;
  rig.world.whileUploading = async (name) => {
    if (name.startsWith('artifact-') && (files += 1) === 2) await act();
  };
}

describe('a runner that is killed', { timeout: 60_000 }, () => {
  it('between its uploads and the end has told them once', async () => {
    work('a.txt', 'b.txt');
    const { plane } = rig.world;
    const say = plane.say.bind(plane);
    plane.say = (...messages) => say(...messages.filter(({ type }) => type !== 'result'));
    rig.offer({ artifacts: 'out' });
    await until('the delivery', () => plane.all('call').length > 0);
    await until('the files', () => payloads('artifacts').length > 0);
    plane.say = say;
    await rig.restart();
    expect(await finished()).toMatchObject({ outcome: 'completed', marker: 'DONE' });
    expect(payloads('artifacts')).toHaveLength(1);
    expect(stored()).toHaveLength(2);
  });

  it('between two uploads has the same ones in its next lease', async () => {
    work('a.txt', 'b.txt');
    let killed: Promise<void> | undefined;
    whileSecond(() => void (killed = rig.runner.kill()));
    rig.offer({ artifacts: 'out' });
    await until('the second upload', () => killed);
    await killed;
    expect(payloads('artifacts')).toEqual([]);
    await rig.start();
    offerTo(rig.world, { artifacts: 'out' }, 2);
    await finished('att_00000001@2');
    const names = (epoch: number) =>
      stored().flatMap((key) => key.split(`att_00000001/${epoch}/`).slice(1));
    expect(names(2)).toHaveLength(2);
    expect(names(2)).toEqual(names(1));
    expect(payloads('artifacts', 'att_00000001@2')).toHaveLength(1);
  });
});

describe('a later lease of an attempt', { timeout: 60_000 }, () => {
  it('says so where nothing is left of what an earlier one may have told', async () => {
    work('a.txt');
    rig.offer({ artifacts: 'out' });
    await finished();
    expect(payloads('artifacts')).toHaveLength(1);
    await rm(join(workspace(), 'out'), { recursive: true });
    work();
    offerTo(rig.world, { artifacts: 'out' }, 2);
    await finished('att_00000001@2');
    expect(payloads('artifacts', 'att_00000001@2')).toEqual([{ files: [], leftOut: 0 }]);
  });

  it('says nothing of them where its workspace is new, as on another host', async () => {
    work();
    offerTo(rig.world, { artifacts: 'out' }, 2);
    await finished('att_00000001@2');
    expect(payloads('artifacts', 'att_00000001@2')).toEqual([]);
  });
});

describe('uploads that take longer than a minute', { timeout: 60_000 }, () => {
  it('are given up; what was stored is told and the work delivered', async () => {
    work('a.txt', 'b.txt');
    whileSecond(() => rig.world.clock.advance(61_000));
    rig.offer({ artifacts: 'out' });
    expect(await finished()).toMatchObject({ outcome: 'completed', delivery: { pushed: true } });
    expect(payloads('artifacts')).toMatchObject([{ files: [{ path: 'a.txt' }], leftOut: 0 }]);
    expect(payloads('notice')).toMatchObject([
      { level: 'warning', message: expect.stringMatching(/not done within .*: b\.txt$/) as string },
    ]);
  });
});

describe('an attempt that is stopped between two uploads', { timeout: 60_000 }, () => {
  it('ends at once, and its work counts as finished', async () => {
    work('a.txt', 'b.txt');
    whileSecond(() =>
      rig.world.plane.say({
        type: 'cancel',
        attemptId: 'att_00000001',
        epoch: 1,
        reason: 'asked to',
        graceMs: 100,
      }),
    );
    rig.offer({ artifacts: 'out' });
    const { marker, delivery } = await finished();
    expect({ marker, pushed: delivery?.pushed }).toEqual({ marker: 'DONE', pushed: false });
    expect(stored()).toHaveLength(1);
    expect(payloads('artifacts')).toEqual([]);
  });
});
