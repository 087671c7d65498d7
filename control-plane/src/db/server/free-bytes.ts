/**
 * Frees the memory of unused bytes at once. Garbage collection would be too late for a large upload
 * in a Durable Object with little memory.
 */
export function freeBytes({ buffer }: Uint8Array): void {
  const freed = buffer as ArrayBufferLike & { transfer?: (bytes: number) => ArrayBuffer };
  if (buffer instanceof ArrayBuffer) freed.transfer?.(0);
}
