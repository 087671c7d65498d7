const FIRST_BYTES = 64 * 1024;

/**
 * The beginning of a stream: all bytes that the caller adds. Bytes are copied together, because a
 * kept chunk of one byte takes a hundred times its memory.
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

  /** The bytes as UTF-8 text. */
  text(): string {
    return this.#kept.toString('utf8', 0, this.#length);
  }
}
