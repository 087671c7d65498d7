import { describe, expect, it } from 'vitest';
import type { Log } from '../../../connection/log.ts';
import { ImageCancelled } from './image-failed.ts';
import type { ImageStep } from './image-step.ts';
import { ImageSupply } from './image-supply.ts';

const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

function supplyOf(
  provide: (progress: (step: ImageStep) => void, signal: AbortSignal) => Promise<void>,
  state: ConstructorParameters<typeof ImageSupply>[0]['state'] = { name: 'missing' },
): ImageSupply {
  return new ImageSupply({ image: 'own:1', source: 'build', state, provide, log: silent });
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
    expect(supply.begin()).toMatchObject({
      state: 'providing',
      step: 'build step 10 of 18: RUN true',
      percent: 50,
    });
    supply.begin();
    expect(tries).toBe(1);
    gate.resolve();
    await supply.settled();
    expect(supply.status()).toMatchObject({
      ...{ state: 'failed', problem: 'no space. Free some' },
      ...{ step: null, percent: null },
    });
    supply.begin();
    await supply.settled();
    expect(supply.status()).toMatchObject({ state: 'ready', problem: null });
    supply.begin();
    expect(tries).toBe(2);
  });

  it('does nothing where a build would not help', () => {
    const supply = supplyOf(() => Promise.reject(new Error('built all the same')), {
      name: 'unavailable',
      problem: 'no daemon',
    });
    expect(supply.begin()).toMatchObject({ state: 'unavailable', problem: 'no daemon' });
  });

  it('is cut off when the runner stops', async () => {
    const supply = supplyOf(
      (_progress, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new ImageCancelled('not finished')));
        }),
    );
    supply.begin();
    await supply.close();
    expect(supply.status().state).toBe('failed');
  });
});
