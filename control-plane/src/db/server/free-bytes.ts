/**
 * Gives the memory of bytes that nobody uses any more back at once. Left to the collector, so much
 * would gather in an object of a platform that a large upload would use up its memory.
 */
export function freeBytes({ buffer }: Uint8Array): void {
  const freed = buffer as ArrayBufferLike & { transfer?: (bytes: number) => ArrayBuffer };
  if (buffer instanceof ArrayBuffer) freed.transfer?.(0);
}
