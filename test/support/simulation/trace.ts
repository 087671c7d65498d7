const KEPT_LINES = 2_000;

/** What happened, in order, with a hash over all of it so that two runs can be compared. */
export class Trace {
  readonly #nowMs: () => number;
  readonly #lines: string[] = [];
  readonly #echo: boolean;
  #hash = 0x811c9dc5;
  count = 0;

  constructor({ nowMs, echo }: { nowMs: () => number; echo: boolean }) {
    this.#nowMs = nowMs;
    this.#echo = echo;
  }

  add(who: string, what: string): void {
    const line = `${(this.#nowMs() / 1_000).toFixed(3).padStart(9)} ${who.padEnd(8)} ${what}`;
    this.count += 1;
    for (let index = 0; index < line.length; index += 1) {
      this.#hash = Math.imul(this.#hash ^ line.charCodeAt(index), 0x01000193) >>> 0;
    }
    this.#lines.push(line);
    if (this.#lines.length > KEPT_LINES * 2) this.#lines.splice(0, KEPT_LINES);
    if (this.#echo) process.stdout.write(`${line}\n`);
  }

  get hash(): string {
    return this.#hash.toString(16).padStart(8, '0');
  }

  last(count: number): string[] {
    return this.#lines.slice(-count);
  }
}
