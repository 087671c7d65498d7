const FIRST_BYTES = 64 * 1024;

/**
 * The beginning of a stream, up to what its caller adds. Bytes are copied together: a piece kept
 * for itself takes a hundred times the memory of the one byte that it may have.
 */
export class ByteHead {
  #kept = Buffer.alloc(FIRST_BYTES);
  #length = 0;

  add(bytes: Uint8Array): void {
    const length = this.#length + bytes.byteLength;
    if (length > this.#kept.length) {
      const larger = Buffer.alloc(Math.max(length, 2 * this.#kept.length));
      larger.set(this.#kept.subarray(0, this.#length));
      this.#kept = larger;
    }
    this.#kept.set(bytes, this.#length);
    this.#length = length;
  }

  /** As UTF-8. */
  text(): string {
    return this.#kept.toString('utf8', 0, this.#length);
  }
}
