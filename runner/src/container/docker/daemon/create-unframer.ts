const MARK = 0x1e;
const NEWLINE = 0x0a;

/**
 * Reverts the shim's framing of standard output (see shim.c, --frame-stdout): RS LF inside a long
 * line is removed, RS RS becomes one RS. A mark at the end of a chunk waits for the next one.
 */
export function createUnframer(): (chunk: Uint8Array) => Uint8Array {
  let pendingMark = false;
  return (chunk) => {
    if (!pendingMark && chunk.indexOf(MARK) < 0) return chunk;
    const out = new Uint8Array(chunk.byteLength + 1);
    let length = 0;
    for (const byte of chunk) {
      if (!pendingMark) {
        if (byte === MARK) pendingMark = true;
        else out[length++] = byte;
        continue;
      }
      pendingMark = false;
      if (byte === NEWLINE) continue;
      out[length++] = MARK;
      if (byte !== MARK) out[length++] = byte;
    }
    return out.subarray(0, length);
  };
}
