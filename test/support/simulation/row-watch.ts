import { runnerEventInsert } from './runner-event-insert.ts';
import type { BoundStatement } from '../../../control-plane/src/platform/node/database/libsql-file.ts';
import type { DatabaseProbe } from './database-probe.ts';
import { rowText } from './row-text.ts';
import { type Fail, probeBeside } from './violation.ts';

/** By then its runner was heard twice without it, or its lease is over. */
const UNHELD_MS = 45_000;

/** Tells whether a runner's process lists a lease. */
export type Holds = (runnerId: string, attemptId: string, epoch: number) => boolean;

/** Looks at the rows of attempts while they change. */
export class RowWatch {
  readonly #nowMs: () => number;
  readonly #fail: Fail;
  readonly #newestGrant: (attemptId: string) => number;
  readonly #terminal = new Map<string, string>();
  /** Of each attempt's row, the last time it was looked at. */
  readonly #epochs = new Map<string, number>();
  /** Since when nobody has a lease that the rows speak of. */
  readonly #heldByNobody = new Map<string, number>();

  /** `newestGrant` tells the highest epoch that was granted on the wire, 0 for none. */
  constructor(nowMs: () => number, fail: Fail, newestGrant: (attemptId: string) => number) {
    this.#nowMs = nowMs;
    this.#fail = fail;
    this.#newestGrant = newestGrant;
  }

  /** A frame of events was committed: its epoch must be the attempt's, and the attempt running. */
  committed(look: DatabaseProbe, statements: readonly BoundStatement[]): void {
    for (const statement of statements) {
      const stored = runnerEventInsert(statement);
      if (stored === null) continue;
      const { attemptId, epoch } = stored;
      probeBeside(this.#fail, async () => {
        const { rows } = await look.execute({
          sql: 'select epoch, status from attempts where attempt_id = ?',
          args: [attemptId],
        });
        const row = rows[0];
        if (row?.['epoch'] !== epoch || row?.['status'] !== 'running') {
          this.#fail(
            'no event of an old epoch is stored',
            `${attemptId}/${epoch} while ${JSON.stringify(row)}`,
          );
        }
      });
    }
  }

  /** From time to time: slots are kept, and what is over stays as it ended. */
  async poll(look: DatabaseProbe, slotsOf: (runnerId: string) => number): Promise<void> {
    const held = await look.execute(
      `select runner_id, count(*) as held from attempts where runner_id is not null
       and status in ('queued', 'running') and released_at_ms is null group by runner_id`,
    );
    for (const row of held.rows) {
      const runnerId = rowText(row['runner_id']);
      if (Number(row['held']) > slotsOf(runnerId))
        this.#fail('slots are kept', `${runnerId} has ${rowText(row['held'])}`);
    }
    await this.#epochsRise(look);
    const ended = await look.execute(
      `select attempt_id, status, outcome, failure_kind, epoch, last_seq, digest, ended_at_ms from attempts
       where status not in ('queued', 'running')`,
    );
    for (const row of ended.rows) {
      const id = rowText(row['attempt_id']);
      const now = JSON.stringify(row);
      const before = this.#terminal.get(id);
      if (before !== undefined && before !== now)
        this.#fail('a terminal result is immutable', `${before} became ${now}`);
      this.#terminal.set(id, now);
    }
    for (const id of this.#terminal.keys()) {
      if (!ended.rows.some((row) => row['attempt_id'] === id))
        this.#fail('a terminal result is immutable', `${id} lives again`);
    }
  }

  /** In the rows too, and never below what was granted on the wire. */
  async #epochsRise(look: DatabaseProbe): Promise<void> {
    const { rows } = await look.execute('select attempt_id, epoch from attempts');
    for (const row of rows) {
      const id = rowText(row['attempt_id']);
      const epoch = Number(row['epoch']);
      const granted = this.#newestGrant(id);
      const before = Math.max(granted, this.#epochs.get(id) ?? 0);
      if (epoch < before) this.#fail('the epoch never falls', `${id}: ${before}, then ${epoch}`);
      this.#epochs.set(id, epoch);
    }
  }

  /** While nothing fails any more: an attempt that its runner does not have is soon moved. */
  async heldSets(look: DatabaseProbe, holds: Holds): Promise<void> {
    const { rows } = await look.execute(
      `select attempt_id, epoch, runner_id from attempts where status = 'running' and released_at_ms is null`,
    );
    const unheld = rows.filter(
      (row) => !holds(rowText(row['runner_id']), rowText(row['attempt_id']), Number(row['epoch'])),
    );
    const names = new Set(
      unheld.map((row) => `${rowText(row['attempt_id'])}/${Number(row['epoch'])}`),
    );
    for (const name of this.#heldByNobody.keys())
      if (!names.has(name)) this.#heldByNobody.delete(name);
    for (const name of names) {
      const sinceMs = this.#heldByNobody.get(name) ?? this.#nowMs();
      this.#heldByNobody.set(name, sinceMs);
      if (this.#nowMs() - sinceMs > UNHELD_MS)
        this.#fail('an attempt that nobody holds is moved', `${name} since ${sinceMs} ms`);
    }
  }
}
