import type { SeededRandom } from '../chaos/seeded-random.ts';
import type { Bench } from '../e2e/start-bench.ts';
import { until } from '../e2e/until.ts';

const RUNNER = 'lib/runner.js run';
const GONE_TIMEOUT_MS = 15_000;

type Fault = 'runner' | 'control plane and runner';

/** Kills halves of a service while it works, spread over the night by how many issues rest. */
export class FaultsOfNight {
  readonly #bench: Bench;
  readonly #say: (line: string) => void;
  /** What is done once so many issues rest, earliest first. */
  readonly #plan: { resting: number; fault: Fault }[];
  done = 0;

  constructor(
    bench: Bench,
    random: SeededRandom,
    run: { faults: number; kinds: readonly unknown[]; say: (line: string) => void },
  ) {
    this.#bench = bench;
    this.#say = run.say;
    const last = Math.max(1, run.kinds.length - 2);
    this.#plan = Array.from({ length: run.faults }, () => ({
      resting: random.between(0, last),
      fault: random.pick<Fault>(['runner', 'control plane and runner']),
    })).toSorted((one, other) => one.resting - other.resting);
  }

  /** Does at most one fault that is due. */
  async perform(resting: number): Promise<void> {
    const [next] = this.#plan;
    if (next === undefined || next.resting > resting) return;
    const runners = await this.#runners();
    if (runners.length === 0) return;
    this.#plan.shift();
    this.#say(`kill -9 of ${next.fault}, ${resting} issues rest`);
    const both = next.fault === 'control plane and runner';
    for (const pid of [...(both ? [this.#bench.service.pid] : []), ...runners]) kill(pid);
    const gone = (pids: number[]) => !pids.some((pid) => runners.includes(pid));
    const waited = { what: 'the killed runner is gone', timeoutMs: GONE_TIMEOUT_MS };
    await until(() => this.#runners(), gone, waited);
    if (both) await this.#bench.restart();
    this.done += 1;
  }

  async #runners(): Promise<number[]> {
    const all = await this.#bench.service.processes();
    return all.filter(({ command }) => command.includes(RUNNER)).map(({ pid }) => pid);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It ended by itself in this very moment.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
