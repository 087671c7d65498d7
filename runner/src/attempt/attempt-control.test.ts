import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AttemptControl, Stopped } from './attempt-control.ts';

describe('waiting under orders', () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  beforeEach(() => void process.on('unhandledRejection', note));
  afterEach(() => void process.off('unhandledRejection', note));

  it.each(['before', 'after'])('survives what fails once a stop came %s the wait', async (when) => {
    const control = new AttemptControl();
    const work = Promise.withResolvers<void>();
    if (when === 'before') control.stop({ kind: 'lease_expired' });
    const waiting = control.race(work.promise);
    if (when === 'after') control.stop({ kind: 'lease_expired' });
    await expect(waiting).rejects.toThrow(Stopped);
    work.reject(new Error('the engine is gone'));
    await nextTurn();
    expect(unhandled).toEqual([]);
  });
});
