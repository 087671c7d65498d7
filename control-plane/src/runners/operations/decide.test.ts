import { describe, expect, it } from 'vitest';
import { chooseRunner, type EngineRunner } from './decide.ts';

const has = (name: string, { operator = true } = {}) => ({ name, capabilities: { operator } });
const runner = (runnerId: string, changes: Partial<EngineRunner> = {}): EngineRunner => ({
  runnerId,
  connected: true,
  draining: false,
  attempts: 0,
  engines: [has('alpha')],
  ...changes,
});
const choose = (input: Partial<Parameters<typeof chooseRunner>[0]>) =>
  chooseRunner({ runners: [], wanted: undefined, thread: null, ...input });

describe('whose engine answers', () => {
  it('is the least busy connected one, a draining one last', () => {
    const runners = [
      runner('run_a', { attempts: 2 }),
      runner('run_b', { attempts: 1 }),
      runner('run_c', { draining: true }),
      runner('run_d', { connected: false }),
    ];
    expect(choose({ runners })).toEqual({ kind: 'runner', runnerId: 'run_b' });
    expect(choose({ runners: runners.slice(2) })).toEqual({ kind: 'runner', runnerId: 'run_c' });
  });

  it('is the one that is named, and nothing when that one is away or unknown', () => {
    const runners = [runner('run_a'), runner('run_b', { connected: false })];
    expect(choose({ runners, wanted: 'run_a' })).toMatchObject({ runnerId: 'run_a' });
    expect(choose({ runners, wanted: 'run_b' })).toMatchObject({ kind: 'unavailable' });
    expect(choose({ runners, wanted: 'run_x' })).toEqual({ kind: 'unknown_runner' });
    expect(choose({ runners: [] })).toMatchObject({ kind: 'unavailable' });
  });

  it('is the one that works on the thread, also against the wish', () => {
    const runners = [runner('run_a'), runner('run_b', { attempts: 9 })];
    const thread = { runnerId: 'run_b', engine: 'alpha', live: true };
    expect(choose({ runners, thread })).toMatchObject({ runnerId: 'run_b' });
    expect(choose({ runners, thread, wanted: 'run_a' })).toMatchObject({ runnerId: 'run_b' });
    const gone = [runner('run_a'), runner('run_b', { connected: false })];
    expect(choose({ runners: gone, thread })).toMatchObject({ kind: 'unavailable' });
  });

  it('is the one that last worked on a stored thread, unless another is named or it is away', () => {
    const runners = [runner('run_a'), runner('run_b', { attempts: 9 })];
    const thread = { runnerId: 'run_b', engine: 'alpha', live: false };
    expect(choose({ runners, thread })).toMatchObject({ runnerId: 'run_b' });
    expect(choose({ runners, thread, wanted: 'run_a' })).toMatchObject({ runnerId: 'run_a' });
    expect(choose({ runners: [runner('run_a')], thread })).toMatchObject({ runnerId: 'run_a' });
  });

  it('is one that is there, before one that would have to be fetched', () => {
    const runners = [
      runner('run_a', { engines: [{ ...has('alpha'), state: 'fetchable' }] }),
      runner('run_b', { attempts: 9 }),
    ];
    expect(choose({ runners, engine: 'alpha' })).toMatchObject({ runnerId: 'run_b' });
    expect(choose({ runners })).toMatchObject({ runnerId: 'run_b' });
    expect(choose({ runners: runners.slice(0, 1) })).toMatchObject({ runnerId: 'run_a' });
  });

  it('is that of a runner that has the engine, however busy', () => {
    const beta = runner('run_b', { attempts: 9, engines: [has('alpha'), has('beta')] });
    const runners = [runner('run_a'), beta];
    expect(choose({ runners, engine: 'beta' })).toMatchObject({ runnerId: 'run_b' });
    const named = choose({ runners, engine: 'beta', wanted: 'run_a' });
    expect(named).toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(/run_a .*beta/) as string,
    });
    const nowhere = choose({ runners, engine: 'gamma' });
    expect(nowhere).toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(/no connected .*gamma/) as string,
    });
  });

  it('is nobody where the engine answers no operators, except where it is not known to', () => {
    const mute = runner('run_a', { engines: [has('beta', { operator: false })] });
    const old = runner('run_b', { attempts: 9, engines: [{ name: 'beta', capabilities: null }] });
    const refused = choose({ runners: [mute], engine: 'beta' });
    expect(refused).toMatchObject({
      kind: 'unsupported',
      message: expect.stringMatching(/beta/) as string,
    });
    expect(choose({ runners: [mute, old], engine: 'beta' })).toMatchObject({ runnerId: 'run_b' });
    expect(choose({ runners: [mute] })).toMatchObject({ runnerId: 'run_a' });
  });
});
