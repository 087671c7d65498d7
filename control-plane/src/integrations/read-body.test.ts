import { expect, it } from 'vitest';
import { readTail } from './read-body.ts';

function bodyOf(pieces: Uint8Array<ArrayBuffer>[]): Response {
  return new Response(
    new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece);
        controller.close();
      },
    }),
  );
}

it('gives the last bytes of a body from the first whole character on', async () => {
  const text = 'ä漢😀'.repeat(40);
  const bytes = new TextEncoder().encode(text);
  for (let tailBytes = 1; tailBytes < bytes.length + 2; tailBytes += 1) {
    for (const pieceBytes of [1, 5, 64]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, at) =>
        bytes.subarray(at * pieceBytes, (at + 1) * pieceBytes),
      );
      const tail = await readTail(bodyOf(pieces), { tailBytes, maxReadBytes: 10_000 });
      expect(text.endsWith(tail)).toBe(true);
      const kept = new TextEncoder().encode(tail).length;
      expect(kept).toBeLessThanOrEqual(tailBytes);
      expect(kept).toBeGreaterThan(Math.min(tailBytes, bytes.length) - 4);
    }
  }
});
