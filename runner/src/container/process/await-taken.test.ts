import { describe, expect, it } from 'vitest';
import { awaitTaken } from './await-taken.ts';

/** Waits for the output of a stream that changes as `pass` says between two checks. */
async function awaited(
  pass: (state: { bytes: number; readableLength: number; closed: boolean }) => void,
  { readableLength = 0, maxBytes = 1_000_000 } = {},
) {
  const state = { bytes: 0, maxBytes, readableLength, closed: false };
  let pauses = 0;
  await awaitTaken(state, state, () => {
    pauses += 1;
    pass(state);
    return Promise.resolve();
  });
  return { bytes: state.bytes, pauses };
}

describe('the output of a command that was cut off', () => {
  it('is awaited while its pipe gives one piece after the other', async () => {
    const pieces = [65_536, 65_536, 38_928];
    const { bytes } = await awaited((state) => (state.bytes += pieces.shift() ?? 0));
    expect(bytes).toBe(170_000);
  });

  it('is awaited however slowly it is read', async () => {
    const { bytes } = await awaited(
      (state) => {
        const read = Math.min(state.readableLength, 100);
        state.bytes += read;
        state.readableLength -= read;
      },
      { readableLength: 100_000 },
    );
    expect(bytes).toBe(100_000);
  });

  it('is no longer awaited once it has an end or more than its maximum', async () => {
    const busy = { readableLength: 65_536, maxBytes: 1_000 };
    expect((await awaited((state) => (state.closed = true), busy)).pauses).toBe(1);
    expect((await awaited((state) => (state.bytes += 999), busy)).pauses).toBe(2);
  });

  it('is not awaited for ever when a hidden process adds to it', async () => {
    expect((await awaited((state) => (state.bytes += 1))).pauses).toBe(40);
  });
});
