import { expect, it } from 'vitest';
import { collectBytes } from './collect-bytes.ts';

/** Gives `count` pieces in one piece of memory, as readers do that reuse their buffer. */
async function* reused(count: number): AsyncGenerator<Uint8Array> {
  const piece = new Uint8Array(2);
  for (let value = 1; value <= count; value += 1) yield piece.fill(value);
}

it.each([
  ['fits', 6, [1, 1, 2, 2, 3, 3], true],
  ['is one byte too long', 5, [1, 1, 2, 2, 3, 3], false],
  ['is far too long', 1, [1, 1], false],
])('collects a body that %s', async (_, maxBytes, bytes, isWhole) => {
  const collected = await collectBytes(reused(3), maxBytes);
  expect(collected).toEqual({ bytes: Uint8Array.from(bytes), isWhole });
});

it('takes no body for an empty one', async () => {
  expect(await collectBytes(null, 0)).toEqual({ bytes: new Uint8Array(), isWhole: true });
});

it('cancels the rest, without waiting for the other half of a clone', async () => {
  let cancelled = false;
  const response = new Response(
    new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(10)),
      cancel: () => void (cancelled = true),
    }),
  );
  expect(await collectBytes(response.clone().body, 5)).toMatchObject({ isWhole: false });
  expect(cancelled).toBe(false);
  expect(await collectBytes(response.body, 5)).toMatchObject({ isWhole: false });
  expect(cancelled).toBe(true);
});

it('rejects when the body breaks off', async () => {
  const broken = new ReadableStream({ start: (controller) => controller.error(new Error('gone')) });
  await expect(collectBytes(broken, 5)).rejects.toThrow('gone');
});
