import { decodeTail } from '../text/decode-tail.ts';

/**
 * The last bytes of a stream. Its writer chooses the size of chunks, so each byte is copied at most
 * a few times, however many chunks there are.
 */
export class ByteTail {
  readonly #maxBytes: number;
  readonly #kept: Uint8Array;
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#kept = new Uint8Array(2 * maxBytes);
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

  /** The bytes as UTF-8 text, from the first complete character on. */
  text(): string {
    return decodeTail(this.#kept.subarray(this.#start(), this.#length));
  }

  #start(): number {
    return Math.max(0, this.#length - this.#maxBytes);
  }
}
