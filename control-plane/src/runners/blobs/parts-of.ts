/**
 * The same bytes in pieces of `partBytes`, the last one shorter; one empty piece for no bytes. A piece
 * is valid until the next one is asked for: its memory is used again.
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
