import type { Fail } from './violation.ts';

const FLAP_MS = 5_000;

/** Leaders follow each other; two that take turns are two that decide. */
export class DeciderWatch {
  readonly #nowMs: () => number;
  readonly #fail: Fail;
  readonly #deciders: { who: string; atMs: number }[] = [];

  constructor(nowMs: () => number, fail: Fail) {
    this.#nowMs = nowMs;
    this.#fail = fail;
  }

  decided(who: string): void {
    const atMs = this.#nowMs();
    const last = this.#deciders.at(-1);
    if (last?.who === who) {
      last.atMs = atMs;
      return;
    }
    const before = this.#deciders.at(-2);
    this.#deciders.push({ who, atMs });
    if (before?.who === who && last !== undefined && atMs - before.atMs < FLAP_MS) {
      this.#fail(
        'only one instance decides at a time',
        `${who}, ${last.who} and ${who} again within ${Math.round(atMs - before.atMs)} ms`,
      );
    }
  }
}
