import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deferred } from '@switchyard/shared/deferred';
import { FakeClock } from '../../connection/testing/fake-clock.ts';
import type { EnginePart } from './engine-parts.ts';
import { EngineSupply, type EngineSupplyOptions } from './engine-supply.ts';
import { hostPlatform, partFolder } from './host-problem.ts';

const MINUTE_MS = 60_000;

const part = (name: string, change: Partial<EnginePart> = {}): EnginePart => ({
  name,
  version: '1.0.0',
  title: name,
  program: 'bin/run',
  args: [],
  packages: [],
  platforms: { [hostPlatform()]: [] },
  unreadable: {},
  licenceNotice: null,
  publishable: true,
  sizeMiB: 1,
  ...change,
});
const PARTS = [
  part('alpha'),
  part('terms', { licenceNotice: 'Terms.' }),
  part('elsewhere', { platforms: { 'plan9-x64': [] } }),
  part('modern', { nodeMajor: 99 }),
];

describe('engines that this host may fetch', () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;
  let clock: FakeClock;
  let changes: number;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'swy-supply-'));
    env = { SWITCHYARD_ENGINES: folder };
    clock = new FakeClock();
    changes = 0;
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  function supply(
    install: EngineSupplyOptions['install'],
    { acceptsLicence = false } = {},
  ): EngineSupply {
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const made = new EngineSupply({ install, acceptsLicence, clock, log, env, parts: PARTS });
    made.onChange(() => void (changes += 1));
    return made;
  }
  const names = (made: EngineSupply) =>
    made.announced().map(({ part: { name }, state }) => `${name} ${state}`);
  const problems = (made: EngineSupply) => made.announced().flatMap(({ problem }) => problem ?? []);
  async function putThere(one: EnginePart): Promise<void> {
    await mkdir(join(partFolder(one, env), 'bin'), { recursive: true });
    await writeFile(join(partFolder(one, env), 'bin', 'run'), '');
  }

  it('are those with a build for it and without terms that nobody accepted', () => {
    const never = async () => undefined;
    expect(names(supply(never))).toEqual(['alpha fetchable']);
    expect(names(supply(never, { acceptsLicence: true }))).toEqual([
      'alpha fetchable',
      'terms fetchable',
    ]);
    for (const name of ['terms', 'elsewhere', 'modern', 'unknown']) {
      expect(supply(never).want(name), name).toBeNull();
    }
  });

  it('are fetched once, when one is needed, and say how far that is', async () => {
    const fetched = deferred<void>();
    const asked: string[] = [];
    const made = supply(async (one, { progress }) => {
      asked.push(one.name);
      progress('half of it');
      await fetched.promise;
      await putThere(one);
    });
    expect(made.want('alpha')).toBe('the agent engine alpha 1.0.0 is being fetched');
    expect(made.want('alpha')).toContain('(half of it)');
    expect([asked, names(made)]).toEqual([['alpha'], ['alpha fetching']]);
    fetched.resolve();
    await made.settled();
    expect([made.want('alpha'), names(made), changes]).toEqual([null, [], 2]);
  });

  it('are not offered for a while after a failure, which people are told', async () => {
    let failures = 0;
    const made = supply(async () => {
      failures += 1;
      throw new Error('the registry is away');
    });
    made.want('alpha');
    await made.settled();
    expect(made.want('alpha')).toContain('could not be fetched: the registry is away');
    expect([failures, names(made)]).toEqual([1, ['alpha failed']]);
    expect(problems(made)).toEqual(['the registry is away']);
    await clock.advance(MINUTE_MS);
    expect([names(made), problems(made)]).toEqual([['alpha fetchable'], []]);
    made.want('alpha');
    await made.settled();
    await clock.advance(MINUTE_MS);
    expect([failures, names(made)]).toEqual([2, ['alpha failed']]);
    await clock.advance(4 * MINUTE_MS);
    expect(names(made)).toEqual(['alpha fetchable']);
  });

  it('are noticed within a minute when a person installs what could not be fetched', async () => {
    const made = supply(async () => Promise.reject(new Error('the registry is away')));
    for (const waitMs of [MINUTE_MS, 5 * MINUTE_MS, 0]) {
      made.want('alpha');
      await made.settled();
      await clock.advance(waitMs);
    }
    await clock.advance(MINUTE_MS);
    expect(names(made)).toEqual(['alpha failed']);
    const before = changes;
    await putThere(part('alpha'));
    await clock.advance(MINUTE_MS);
    expect([changes - before, names(made), made.want('alpha')]).toEqual([1, [], null]);
  });

  it('are tried again at once when a person asks, and not cut short by the wait before', async () => {
    const second = deferred<void>();
    let tries = 0;
    const made = supply(async (one) => {
      tries += 1;
      if (tries === 1) throw new Error('no space');
      await second.promise;
      await putThere(one);
    });
    made.want('alpha');
    await made.settled();
    expect(made.want('alpha', { isPerson: true })).toContain('is being fetched');
    await clock.advance(10 * MINUTE_MS);
    expect([tries, names(made)]).toEqual([2, ['alpha fetching']]);
    second.resolve();
    await made.settled();
    expect(names(made)).toEqual([]);
  });

  it('are cut off when the runner ends, and nothing is told then', async () => {
    const made = supply(
      (_part, { signal }) =>
        new Promise((_resolve, reject) =>
          signal?.addEventListener('abort', () => reject(new Error('cut off')), { once: true }),
        ),
    );
    made.want('alpha');
    await made.close();
    expect([problems(made), changes]).toEqual([[], 1]);
  });
});
