import { describe, expect, it } from 'vitest';
import { useHost } from './testing/use-host.ts';

const rig = useHost();
const { hang, offer, turn, until } = rig;

describe('offers', { timeout: 60_000 }, () => {
  it('are declined without a slot, for a workspace in use, for an unknown engine, while draining', async () => {
    hang();
    offer();
    await turn();
    const other = (attemptId: string, issue: string) => ({
      attemptId,
      issue: {
        id: issue,
        identifier: `SY-${issue}`,
        title: 't',
        description: null,
        url: null,
        labels: [],
      },
    });
    offer({ attemptId: 'att_2' });
    offer({
      ...other('att_3', '3'),
      engine: {
        name: 'x',
        model: 'm',
        provider: { name: 'p', baseUrl: 'http://x/', wireApi: 'chat' },
      },
    });
    offer(other('../att', '4'));
    offer(other('att_5', '5'));
    await rig.world.clock.advance(10);
    offer(other('att_6', '6'));
    await rig.world.clock.advance(10);
    expect(rig.world.plane.all('decline').map(({ attemptId, code }) => [attemptId, code])).toEqual([
      ['att_2', 'NO_SLOT'],
      ['att_3', 'SPEC_INVALID'],
      ['../att', 'SPEC_INVALID'],
      ['att_6', 'NO_SLOT'],
    ]);
    rig.world.plane.say({ type: 'drain', deadlineMs: 1_000 });
    offer(other('att_7', '7'));
    await until('the decline', () => rig.world.plane.last('decline')?.code === 'DRAINING');
    await until('the release', () => rig.world.plane.all('released').length === 2);
  });
});

describe('renewals', { timeout: 60_000 }, () => {
  it('tell what a container uses from its first seconds', async () => {
    const samples = [null, { cpuPercent: 40, memoryPercent: 7 }];
    rig.world.containers.stats = async () => samples.shift() ?? null;
    hang();
    offer();
    await turn();
    const startedMs = rig.world.clock.nowMs();
    const shown = () => rig.world.plane.last('renew')?.load?.['att_00000001'];
    await until('the load', () => shown() !== undefined);
    expect(shown()).toEqual({ cpuPercent: 40, memoryPercent: 7 });
    expect(rig.world.clock.nowMs() - startedMs).toBeLessThan(5_000);
  });

  it('tell the load of the sample before, and never wait for one', async () => {
    hang();
    offer();
    await turn();
    let cpuPercent = 10;
    rig.world.containers.stats = async () => ({
      cpuPercent: (cpuPercent += 1),
      memoryPercent: 5.04,
    });
    const load = async () => {
      const count = rig.world.plane.all('renew').length;
      await until('a renewal', () => rig.world.plane.all('renew').length > count);
      return rig.world.plane.last('renew')?.load;
    };
    expect(await load()).toEqual({});
    expect(await load()).toEqual({ att_00000001: { cpuPercent: 11, memoryPercent: 5 } });
    rig.world.containers.stats = () => new Promise(() => undefined);
    expect(await load()).toMatchObject({ att_00000001: { cpuPercent: 12 } });
    expect(await load()).toEqual({});
  });
});
