const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const DATA = Buffer.from('data:');

/**
 * Finds the `data:` lines of a stream of server-sent events, without copying lines that are inside
 * one chunk. Providers put one JSON value on one line; events with several lines do not occur.
 */
export class StreamLines {
  readonly #maxBytes: number;
  readonly #take: (data: Buffer) => void;
  #parts: Buffer[] = [];
  #bytes = 0;
  #skipping = false;
  #isCut = false;

  /** Calls `take` for each `data:` line; a line longer than `maxBytes` is skipped. */
  constructor(maxBytes: number, take: (data: Buffer) => void) {
    this.#maxBytes = maxBytes;
    this.#take = take;
  }

  /** Whether a line was skipped. */
  get isCut(): boolean {
    return this.#isCut;
  }

  feed(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      this.#add(chunk.subarray(from, end));
      this.#endLine();
      from = end + 1;
    }
    if (from < chunk.length) this.#add(chunk.subarray(from));
  }

  /** Ends the stream; its last line needs no line feed. */
  end(): void {
    this.#endLine();
  }

  #add(part: Buffer): void {
    if (this.#skipping) return;
    this.#bytes += part.length;
    if (this.#bytes <= this.#maxBytes) return void this.#parts.push(part);
    this.#parts = [];
    this.#skipping = true;
    this.#isCut = true;
  }

  #endLine(): void {
    const parts = this.#parts;
    const isWhole = !this.#skipping && this.#bytes > 0;
    this.#parts = [];
    this.#bytes = 0;
    this.#skipping = false;
    if (!isWhole) return;
    const [first] = parts;
    const line = parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
    if (line.length < DATA.length || !line.subarray(0, DATA.length).equals(DATA)) return;
    const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
    this.#take(line.subarray(DATA.length, end));
  }
}
