import { z } from 'zod';
import type { SoakClient, Tally } from './soak-client.ts';
import { WORK_KINDS } from './soak-world.ts';
import { wait } from './wait.ts';

const OPEN_AT_ONCE = 4;
const CHECK_EVERY_MS = 2_000;
const RESTING = new Set(['completed', 'failed', 'blocked', 'cancelled']);
/** Kept for clients that want an issue with a history to look at. */
const REMEMBERED = 20;

const Issue = z.looseObject({ identifier: z.string(), status: z.string() });

export type WorkReport = { created: number; ended: Record<string, number> };

/** Keeps agents at work: as soon as an issue rests, there is another one. */
export class SteadyWork {
  readonly report: WorkReport = { created: 0, ended: {} };
  /** Identifiers, newest last. */
  readonly known: string[] = [];
  readonly #open = new Set<string>();
  readonly #client: SoakClient;
  readonly #tally: Tally;

  constructor(client: SoakClient, tally: Tally) {
    this.#client = client;
    this.#tally = tally;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      while (this.#open.size < OPEN_AT_ONCE) {
        const kind = WORK_KINDS[this.report.created % WORK_KINDS.length];
        const identifier = await this.create(`${kind} ${this.report.created}`);
        if (identifier === null) break;
        this.#open.add(identifier);
      }
      await wait(CHECK_EVERY_MS, signal);
      for (const identifier of this.#open) await this.#look(identifier);
    }
  }

  /** A new issue that goes before all others; null when the service refused it. */
  async create(title: string, state = 'Todo'): Promise<string | null> {
    const body = { title, state, priority: 1 };
    const answer = await this.#client.send('POST', '/api/v1/local/issues', { body });
    if (answer.status !== 201) {
      this.#tally.problem(`an issue could not be created: ${answer.status} ${answer.text}`);
      return null;
    }
    this.report.created += 1;
    const { identifier } = Issue.parse(JSON.parse(answer.text));
    this.known.push(identifier);
    if (this.known.length > REMEMBERED) this.known.shift();
    return identifier;
  }

  async status(identifier: string): Promise<string | null> {
    const answer = await this.#client.send('GET', `/api/v1/${identifier}`);
    if (answer.status !== 200) {
      this.#tally.problem(`${identifier} could not be read: ${answer.status} ${answer.text}`);
      return null;
    }
    return Issue.parse(JSON.parse(answer.text)).status;
  }

  async #look(identifier: string): Promise<void> {
    const status = await this.status(identifier);
    if (status === null || !RESTING.has(status)) return;
    this.#open.delete(identifier);
    this.report.ended[status] = (this.report.ended[status] ?? 0) + 1;
  }
}
