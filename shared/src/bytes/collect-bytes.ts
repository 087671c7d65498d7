/**
 * Reads a body into memory; null is an empty one. `isWhole` is false for more than `maxBytes`:
 * `bytes` is then its beginning, with the piece that passed the limit, and the rest is cancelled.
 * Bytes are copied together, because a kept piece of one byte takes a hundred times its memory.
 * Rejects when the body breaks off.
 */
export async function collectBytes(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
): Promise<{ bytes: Uint8Array; isWhole: boolean }> {
  const pieces = body?.[Symbol.asyncIterator]();
  let kept = new Uint8Array(0);
  let length = 0;
  while (length <= maxBytes) {
    const next = await pieces?.next();
    if (next === undefined || next.done === true)
      return { bytes: kept.subarray(0, length), isWhole: true };
    const end = length + next.value.byteLength;
    if (end > kept.length) {
      const larger = new Uint8Array(Math.max(end, Math.min(2 * kept.length, maxBytes)));
      larger.set(kept.subarray(0, length));
      kept = larger;
    }
    kept.set(next.value, length);
    length = end;
  }
  // Not awaited: the cancelled half of a cloned response waits for the other half.
  pieces?.return?.().catch(() => undefined);
  return { bytes: kept.subarray(0, length), isWhole: false };
}
