import type { SeededRandom } from '../chaos/seeded-random.ts';
import type { Bench } from '../e2e/start-bench.ts';
import { until } from '../e2e/until.ts';

const RUNNER = 'lib/runner.js run';
const GONE_TIMEOUT_MS = 15_000;

const REFUSES_MS = 8_000;

type Fault = 'runner' | 'control plane and runner' | 'pushes';

/** Kills halves of a service and has its remote refuse pushes while it works, spread over the night by how many issues rest. */
export class FaultsOfNight {
  readonly #bench: Bench;
  readonly #say: (line: string) => void;
  /** What is done once so many issues rest, earliest first. */
  readonly #plan: { resting: number; fault: Fault }[];
  done = 0;
  /** How many times pushes are refused at present. */
  #refusals = 0;

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
      fault: random.pick<Fault>(['runner', 'control plane and runner', 'pushes']),
    })).toSorted((one, other) => one.resting - other.resting);
  }

  /** Does at most one fault that is due. */
  async perform(resting: number): Promise<void> {
    const [next] = this.#plan;
    if (next === undefined || next.resting > resting) return;
    if (next.fault === 'pushes') return this.#refusePushes(resting);
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

  /** As a host does for what is too large; what is pushed meanwhile waits for a person. */
  async #refusePushes(resting: number): Promise<void> {
    const { repository } = this.#bench;
    this.#plan.shift();
    this.#say(`the remote refuses pushes, ${resting} issues rest`);
    await repository.git('config', 'receive.maxInputSize', '1');
    this.#refusals += 1;
    const heal = (): void => {
      this.#refusals -= 1;
      if (this.#refusals > 0) return;
      repository.git('config', '--unset-all', 'receive.maxInputSize').catch((error: unknown) => {
        this.#say(`the remote still refuses pushes: ${String(error)}`);
      });
    };
    setTimeout(heal, REFUSES_MS).unref();
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
