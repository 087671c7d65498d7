import { describe, expect, it } from 'vitest';
import type { Log } from '../../../log.ts';
import { ImageCancelled } from './image-failed.ts';
import type { ImageStep } from './image-step.ts';
import { BaseRefused, ImageSupply, type ImageWish } from './image-supply.ts';

const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

type State = ConstructorParameters<typeof ImageSupply>[0]['state'];
type Provide = (
  progress: (step: ImageStep) => void,
  signal: AbortSignal,
  wish: ImageWish,
) => Promise<void>;

function supplyOf(
  provide: Provide,
  state: State = { name: 'missing' },
  probe: () => State = () => state,
): ImageSupply {
  return new ImageSupply({
    image: 'own:1',
    source: 'build',
    baseImage: 'debian:usual',
    state,
    log: silent,
    baseProblem: (baseImage) => (baseImage.startsWith('debian:') ? null : `not on ${baseImage}`),
    probe: async () => probe(),
    provide: (wish, { progress, signal }) => provide(progress, signal, wish),
  });
}

describe('the supply of the sandbox image', () => {
  it('begins once, tells the last step, and tries again only after a failure', async () => {
    let tries = 0;
    const gate = Promise.withResolvers<void>();
    const supply = supplyOf(async (progress) => {
      tries += 1;
      if (tries > 1) return;
      progress({ kind: 'build', number: 10, total: 18, text: 'RUN true' });
      progress({ kind: 'output', text: 'noise' });
      await gate.promise;
      throw new Error('no space. Free some');
    });
    expect(supply.status()).toMatchObject({ state: 'missing', step: null });
    expect(await supply.begin()).toMatchObject({
      state: 'providing',
      step: 'build step 10 of 18: RUN true',
      percent: 50,
    });
    await supply.begin();
    expect(tries).toBe(1);
    gate.resolve();
    await supply.settled();
    expect(supply.status()).toMatchObject({
      state: 'failed',
      problem: 'no space. Free some',
      step: null,
      percent: null,
    });
    await supply.begin();
    await supply.settled();
    expect(supply.status()).toMatchObject({ state: 'ready', problem: null });
    await supply.begin();
    expect(tries).toBe(2);
  });

  it('does nothing where a build would not help', async () => {
    const supply = supplyOf(() => Promise.reject(new Error('built all the same')), {
      name: 'unavailable',
      problem: 'no daemon',
    });
    expect(await supply.begin()).toMatchObject({ state: 'unavailable', problem: 'no daemon' });
  });

  it('looks first: what came meanwhile is not built again, and what went is', async () => {
    const built: ImageWish[] = [];
    let found: State = { name: 'ready' };
    const supply = supplyOf(
      async (_progress, _signal, wish) => void built.push(wish),
      { name: 'unavailable', problem: 'no daemon' },
      () => found,
    );
    expect(await supply.begin()).toMatchObject({ state: 'ready', problem: null, step: null });
    expect(built).toEqual([]);
    supply.noticed({ name: 'unavailable', problem: 'gone' });
    found = { name: 'missing' };
    await supply.begin();
    await supply.settled();
    expect(built).toEqual([{}]);
  });

  it('answers although the daemon hangs', { timeout: 60_000 }, async () => {
    const supply = new ImageSupply({
      image: 'own:1',
      source: 'pull',
      baseImage: null,
      state: { name: 'missing' },
      log: silent,
      baseProblem: () => null,
      provide: () => Promise.resolve(),
      probe: () => new Promise(() => undefined),
    });
    expect(await supply.begin()).toMatchObject({
      state: 'providing',
      baseImage: null,
      step: 'looking whether the image is there',
    });
  });

  it('is built anew on a base that is named, and on none that is not allowed', async () => {
    const built: ImageWish[] = [];
    const supply = supplyOf(async (_progress, _signal, wish) => void built.push(wish), {
      name: 'ready',
    });
    expect(supply.status()).toMatchObject({ baseImage: 'debian:usual' });
    await supply.begin();
    await expect(supply.begin({ baseImage: 'evil' })).rejects.toThrow(BaseRefused);
    expect(built).toEqual([]);
    await supply.begin({ baseImage: 'debian:other' });
    await supply.settled();
    expect(built).toEqual([{ baseImage: 'debian:other' }]);
  });

  it('tells why a build failed until the image or the daemon changes', async () => {
    const supply = supplyOf(() => Promise.reject(new Error('no space')));
    await supply.begin();
    await supply.settled();
    supply.noticed({ name: 'missing' });
    expect(supply.status()).toMatchObject({ state: 'failed', problem: 'no space' });
    supply.noticed({ name: 'ready' });
    expect(supply.status()).toMatchObject({ state: 'ready', problem: null });
  });

  it('tells why it was not built on another base although it is there', async () => {
    const supply = supplyOf(() => Promise.reject(new Error('no such image')), { name: 'ready' });
    await supply.begin({ baseImage: 'debian:other' });
    await supply.settled();
    supply.noticed({ name: 'ready' });
    expect(supply.status()).toMatchObject({ state: 'failed', problem: 'no such image' });
    // Whoever asks again without a base is told what is there.
    expect(await supply.begin()).toMatchObject({ state: 'ready', problem: null });
  });

  it('waits for no daemon that hangs when the runner stops', async () => {
    const supply = new ImageSupply({
      image: 'own:1',
      source: 'pull',
      baseImage: null,
      state: { name: 'missing' },
      log: silent,
      baseProblem: () => null,
      provide: () => Promise.resolve(),
      probe: () => new Promise(() => undefined),
    });
    void supply.begin();
    await supply.close();
    expect(supply.status().state).toBe('failed');
  });

  it('is cut off when the runner stops', async () => {
    const supply = supplyOf(
      (_progress, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new ImageCancelled('not finished')));
        }),
    );
    void supply.begin();
    await supply.close();
    expect(supply.status().state).toBe('failed');
  });
});
