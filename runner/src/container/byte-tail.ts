import { decodeTail } from '@switchyard/shared/text/decode-tail';

/**
 * The last bytes of a stream. Whoever writes it chooses how small its pieces are, so each byte is
 * copied a few times at most, however many pieces there are.
 */
export class ByteTail {
  readonly #maxBytes: number;
  readonly #kept: Buffer;
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#kept = Buffer.alloc(2 * maxBytes);
  }

  add(bytes: Uint8Array): void {
    const taken = bytes.subarray(Math.max(0, bytes.byteLength - this.#maxBytes));
    if (this.#length + taken.byteLength > this.#kept.length) {
      this.#kept.copyWithin(0, this.#start(), this.#length);
      this.#length -= this.#start();
    }
    this.#kept.set(taken, this.#length);
    this.#length += taken.byteLength;
  }

  /** As UTF-8, from the first whole character on. */
  text(): string {
    return decodeTail(this.#kept.subarray(this.#start(), this.#length));
  }

  #start(): number {
    return Math.max(0, this.#length - this.#maxBytes);
  }
}
