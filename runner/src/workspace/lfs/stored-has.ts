import type { Pointer } from '../lfs-host/parse-pointer.ts';
import { readStored } from './store-object.ts';

/** Whether a stored object contains one of the texts. */
export async function storedHas(
  mirrorPath: string,
  pointer: Pointer,
  texts: readonly string[],
): Promise<boolean> {
  if (texts.length === 0 || pointer.sizeBytes === 0) return false;
  const longest = Math.max(...texts.map((text) => Buffer.byteLength(text)));
  let before = Buffer.alloc(0);
  for await (const part of readStored(mirrorPath, pointer) as AsyncIterable<Buffer>) {
    // A text may be split across two chunks.
    const piece = Buffer.concat([before, part]);
    if (texts.some((text) => piece.includes(text))) return true;
    before = piece.subarray(Math.max(0, piece.byteLength - longest + 1));
  }
  return false;
}
