/**
 * Splits bytes into pieces of `partBytes`, the last one shorter; no bytes give one empty piece. A
 * piece is valid only until the next one is requested, because its memory is reused.
 */
export async function* partsOf(
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
  partBytes: number,
): AsyncGenerator<Uint8Array> {
  const part = new Uint8Array(partBytes);
  let filled = 0;
  let given = 0;
  for await (const chunk of bytes instanceof Uint8Array ? [bytes] : bytes) {
    for (let at = 0; at < chunk.byteLength;) {
      const taken = chunk.subarray(at, at + partBytes - filled);
      part.set(taken, filled);
      filled += taken.byteLength;
      at += taken.byteLength;
      if (filled < partBytes) continue;
      yield part;
      given += 1;
      filled = 0;
    }
  }
  if (filled > 0 || given === 0) yield part.subarray(0, filled);
}
