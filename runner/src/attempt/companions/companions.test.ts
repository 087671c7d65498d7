import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../connection/testing/fake-clock.ts';
import type { EngineSession } from '../../engine/agent-engine.ts';
import type { Companion } from './companion.ts';
import { Companions } from './companions.ts';
import type { StartingEngine } from './engine-place.ts';

const ref = { attemptId: 'a1', epoch: 1 };
const place: StartingEngine = {
  workspace: {
    path: '/w',
    objectsPath: '/o',
    mirrorPath: '/m',
    branch: 'b',
    baseBranch: 'main',
    baseCommit: 'c',
    created: true,
  },
  home: { path: '/h', sessionsFolder: 's', isDatabase: false, keptPath: '/k' },
  launch: { files: {} },
};

/** The companions with what they logged. */
function together(list: readonly Companion[]) {
  const errors: unknown[] = [];
  const clock = new FakeClock();
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: (message: string, more?: unknown) => void errors.push([message, more]),
  };
  return { all: new Companions(list, { ref, clock, log }), errors, clock };
}

const mount = (hostPath: string) => ({ hostPath, containerPath: hostPath, readOnly: true });

describe('the companions of an attempt', () => {
  it('are asked in their order, each for the moments that it knows', async () => {
    const seen: string[] = [];
    const { all } = together([
      { name: 'one', engineStarting: async () => [mount('/one')] },
      { name: 'two', threadOpened: async () => void seen.push('two') },
      {
        name: 'three',
        engineStarting: async ({ home }) => [mount(home.path), mount('/three')],
        threadOpened: async () => void seen.push('three'),
      },
    ]);
    const mounts = await all.engineStarting(place);
    expect(mounts.map(({ hostPath }) => hostPath)).toEqual(['/one', '/h', '/three']);
    await all.threadOpened(place);
    await all.turnCompleted(place);
    expect(seen).toEqual(['two', 'three']);
  });

  it('may each give the hook of a new workspace something, for as long as it runs', async () => {
    const seen: string[] = [];
    const giving = (name: string): Companion => ({
      name,
      async aroundCreationHook(_hook, run) {
        seen.push(`${name} given`);
        const result = await run({ mounts: [mount(name)], env: { [name]: 'yes', LAST: name } });
        seen.push(`${name} over`);
        return result;
      },
    });
    const { all } = together([giving('one'), { name: 'none' }, giving('two')]);
    const given = await all.aroundCreationHook({ isBaseBranch: true }, async (additions) => {
      seen.push('hook');
      return additions;
    });
    expect(given).toEqual({
      mounts: [mount('one'), mount('two')],
      env: { one: 'yes', two: 'yes', LAST: 'two' },
    });
    expect(seen).toEqual(['one given', 'two given', 'hook', 'two over', 'one over']);
  });

  it('may each wrap the session that the former one returned', () => {
    const session = (engineVersion: string) => ({ engineVersion }) as EngineSession;
    const { all } = together([
      { name: 'one', sessionOpened: ({ engineVersion }) => session(`one(${engineVersion})`) },
      { name: 'none' },
      { name: 'two', sessionOpened: ({ engineVersion }) => session(`two(${engineVersion})`) },
    ]);
    expect(all.sessionOpened(session('engine')).engineVersion).toBe('two(one(engine))');
  });

  it('end the attempt by an error before its end, and are only logged with one at its end', async () => {
    const ended: string[] = [];
    const fails = (): Promise<never> => Promise.reject(new Error('no room'));
    const { all, errors } = together([
      { name: 'the first', containerRuns: fails, engineEnded: fails },
      {
        name: 'the second',
        sessionClosing: () => {
          throw new Error('closed already');
        },
        engineEnded: async () => void ended.push('second'),
        attemptEnded: async () => void ended.push('attempt'),
      },
    ]);
    const container = {} as Parameters<Companions['containerRuns']>[0]['container'];
    await expect(all.containerRuns({ ...place, container, isAdopted: false })).rejects.toThrow(
      'no room',
    );
    all.sessionClosing();
    await all.engineEnded(place);
    await all.engineEnded(place);
    await all.attemptEnded({ end: null, place });
    expect(ended).toEqual(['second', 'attempt']);
    expect(errors).toEqual([
      ['the second did not end properly', { ...ref, error: 'closed already' }],
      ['the first did not end properly', { ...ref, error: 'no room' }],
    ]);
  });

  it('hold up the end of an attempt for a while only', async () => {
    const ended: string[] = [];
    const { all, errors, clock } = together([
      { name: 'the slow one', attemptEnded: () => new Promise(() => undefined) },
      { name: 'the other', attemptEnded: async () => void ended.push('other') },
    ]);
    const over = all.attemptEnded({ end: null, place: null });
    await clock.advance(119_000);
    expect(ended).toEqual([]);
    await clock.advance(1_000);
    await over;
    expect(ended).toEqual(['other']);
    expect(errors).toEqual([
      ['the slow one did not end properly', { ...ref, error: 'it did not end within 120 s' }],
    ]);
  });

  it('may name a longer time for their end', async () => {
    const done: string[] = [];
    const { all, errors, clock } = together([
      {
        name: 'the thorough one',
        endLimitMs: 600_000,
        engineEnded: () => new Promise((resolve) => clock.after(500_000, resolve)),
      },
      { name: 'the other', engineEnded: async () => void done.push('other') },
    ]);
    const over = all.engineEnded(null);
    await clock.advance(499_000);
    expect(done).toEqual([]);
    await clock.advance(1_000);
    await over;
    expect(done).toEqual(['other']);
    expect(errors).toEqual([]);
  });
});
