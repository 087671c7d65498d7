import { LEADER_TTL_MS } from '../../../control-plane/src/jobs/leadership/create-leadership.ts';
import type { BoundStatement } from '../../../control-plane/src/platform/node/database/libsql-file.ts';
import type { DatabaseProbe } from './database-probe.ts';
import { rowText } from './row-text.ts';
import { type Fail, probeBeside } from './violation.ts';

/** A control plane as far as its leadership goes. */
export type LeadingPlane = {
  readonly name: string;
  readonly believesToLead: boolean;
  readonly look: DatabaseProbe;
};

/** Clocks of hosts run by two percent faster or slower. */
const TTL_MS = LEADER_TTL_MS * 0.95;

/** Watches the row that says who leads, and what instances think of themselves. Knows no date. */
export class LeaderWatch {
  readonly #nowMs: () => number;
  readonly #fail: Fail;
  readonly #planes: () => readonly LeadingPlane[];
  #last: { instance: string; plane: string; stamp: string; atMs: number } | null = null;

  constructor(nowMs: () => number, fail: Fail, planes: () => readonly LeadingPlane[]) {
    this.#nowMs = nowMs;
    this.#fail = fail;
    this.#planes = planes;
  }

  /** Whoever takes the row must have seen it unchanged for a whole time to live. */
  committed(plane: LeadingPlane, statements: readonly BoundStatement[]): void {
    if (!statements.some(({ sql }) => sql.startsWith('update "leader"'))) return;
    const atMs = this.#nowMs();
    probeBeside(this.#fail, async () => {
      const { rows } = await plane.look.execute('select instance_id, term, until_ms from leader');
      const [row] = rows;
      if (row === undefined) return;
      const instance = rowText(row['instance_id']);
      const stamp = `${instance} ${rowText(row['term'])} ${rowText(row['until_ms'])}`;
      const last = this.#last;
      if (last?.stamp === stamp) return;
      this.#last = { instance, plane: plane.name, stamp, atMs };
      const isOther = last !== null && last.instance !== '' && last.instance !== instance;
      if (isOther && atMs - last.atMs < TTL_MS) {
        const ago = Math.round(atMs - last.atMs);
        const words = `${instance} took the lead ${ago} ms after ${last.instance} had renewed it`;
        this.#fail('a leader that renews is not unseated', words);
      }
    });
    this.look();
  }

  look(): void {
    const leading = this.#planes().filter(({ believesToLead }) => believesToLead);
    if (leading.length < 2) return;
    const names = leading.map(({ name }) => name).join(' and ');
    this.#fail('instances never lead together', `${names} both take themselves for the leader`);
  }
}
