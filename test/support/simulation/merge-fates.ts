import type { Random } from './random.ts';

/** How often merges go wrong in which way. */
const CONFLICTS = 0.15;
const FAILS = 0.12;
const FLAKY = 0.15;

/** What comes of merges: always the same for the same commits, except where a check is flaky. */
export class MergeFates {
  readonly #seed: number;
  readonly #random: Random;

  constructor(seed: number, random: Random) {
    this.#seed = seed;
    this.#random = random;
  }

  /** Whether two commits of branches cannot be merged. */
  conflicts(one: string, others: readonly string[]): boolean {
    return others.some((other) => {
      const [first = '', second = ''] = [one, other].toSorted();
      return this.#chance(`conflict ${first} ${second}`, CONFLICTS);
    });
  }

  /** Whether a run of the checks on the merge of a commit into a base fails. */
  fails(commitSha: string, base: readonly string[]): boolean {
    if (this.#chance(`fails ${commitSha} ${base.at(-1) ?? ''}`, FAILS)) return true;
    return this.#chance(`flaky ${commitSha}`, FLAKY) && this.#random.chance(0.5);
  }

  #chance(of: string, probability: number): boolean {
    let hash = 2_166_136_261 ^ this.#seed;
    for (const letter of of) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16_777_619);
    hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_507);
    return ((hash ^ (hash >>> 13)) >>> 0) / 4_294_967_296 < probability;
  }
}
