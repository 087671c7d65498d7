import { and, eq } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { leader } from '../../db/schema/operation/leader.ts';
import type { Deps } from '../../deps.ts';

/** The table has only this row, so there is only one leader. */
const ROW = 1;
/** A leader whose row has not changed for this long has expired. */
export const LEADER_TTL_MS = 15_000;
/** Interval of renewals: three of them fit into the time to live. */
export const LEADER_RENEW_MS = 5_000;
/** Holder value while the data is copied: no instance leads until the copy is done. */
export const DATA_TRANSFER = 'data transfer';
/** Instance value of a row that any instance may take over. */
export const NOBODY = '';

type LeaderRow = typeof leader.$inferSelect;

/**
 * Another instance's row as this observer last read it, and since when, by its own monotonic clock.
 */
export type SeenRow = Pick<LeaderRow, 'instance_id' | 'term' | 'until_ms'> & { sinceMs: number };

export type LeadershipInput = {
  /** Host and process of this instance, for a successor on the same host. */
  holder: string;
  /** Whether the process of another holder has certainly ended; false when that is unknown. */
  holderGone: (holder: string) => boolean;
  /**
   * The row that an earlier leadership of the same process observed; its monotonic clock continued.
   */
  seen?: SeenRow | null;
};

export type Leadership = {
  leads: boolean;
  leaderId: string | null;
  /** When the next call is due, milliseconds from now. */
  nextCheckInMs: number;
  /** The row that this instance expects to expire; null when it leads. */
  seen: SeenRow | null;
};

type LeadershipDeps = Pick<Deps, 'db' | 'clock' | 'service'>;

/**
 * Acquires or renews the leadership on each call. A leader's row changes with each renewal; a row
 * that is unchanged for a full time to live, by the observer's monotonic clock, has expired,
 * whatever its date.
 *
 * An expired row is acquired by a compare-and-swap on exactly the row that was read, under a new
 * term. `service.lead` holds the term under which this instance may decide.
 */
export function createLeadership(
  deps: LeadershipDeps,
  input: LeadershipInput,
): () => Promise<Leadership> {
  const { db, clock, service } = deps;
  const { instanceId, lead } = service;
  let seen = input.seen ?? null;
  let renewedAtMs = Number.NEGATIVE_INFINITY;

  function leads(term: number, atMs: number): Leadership {
    renewedAtMs = atMs;
    seen = null;
    Object.assign(lead, { term, untilMs: atMs + LEADER_TTL_MS });
    return { leads: true, leaderId: instanceId, nextCheckInMs: LEADER_RENEW_MS, seen };
  }

  function waits(row: LeaderRow): Leadership {
    lead.untilMs = Number.NEGATIVE_INFINITY;
    const nowMs = clock.monotonicMs();
    if (seen === null || !isSame(seen, row)) {
      const { instance_id, term, until_ms } = row;
      seen = { instance_id, term, until_ms, sinceMs: nowMs };
    }
    const leftMs = seen.sinceMs + LEADER_TTL_MS - nowMs;
    const nextCheckInMs = Math.max(1, Math.min(LEADER_RENEW_MS, leftMs));
    return { leads: false, leaderId: row.instance_id, nextCheckInMs, seen };
  }

  function mayTake(row: LeaderRow, atMs: number): boolean {
    if (row.holder === DATA_TRANSFER) return false;
    if (row.instance_id === instanceId || row.instance_id === NOBODY) return true;
    if (input.holderGone(row.holder)) return true;
    return seen !== null && isSame(seen, row) && atMs - seen.sinceMs >= LEADER_TTL_MS;
  }

  return async () => {
    // Read before the query, because the time to live counts from here.
    const atMs = clock.monotonicMs();
    const row = (await readRow(db)) ?? (await firstRow(deps, input.holder));
    const own = row.instance_id === instanceId && row.term === lead.term;
    // A renewal waits for the disk, so a recent one is only checked.
    if (own && atMs - renewedAtMs < LEADER_RENEW_MS) {
      return { leads: true, leaderId: instanceId, nextCheckInMs: LEADER_RENEW_MS, seen: null };
    }
    if (!mayTake(row, atMs)) return waits(row);
    const term = own ? row.term : row.term + 1;
    // The stamp only grows within a term, so that a renewal changes the row even if the clock
    // stands still.
    const stamp = clock.nowMs() + LEADER_TTL_MS;
    const until_ms = own ? Math.max(stamp, row.until_ms + 1) : stamp;
    const taken = await db
      .update(leader)
      .set({ instance_id: instanceId, holder: input.holder, term, until_ms })
      .where(isRow(row))
      .returning({ id: leader.id });
    if (taken.length === 1) return leads(term, atMs);
    return waits((await readRow(db)) ?? row);
  };
}

/** Releases the leadership, so that a successor need not wait for it to expire. */
export async function releaseLeadership({
  db,
  service,
}: Pick<Deps, 'db' | 'service'>): Promise<void> {
  service.lead.untilMs = Number.NEGATIVE_INFINITY;
  await db
    .update(leader)
    .set({ instance_id: NOBODY, holder: NOBODY })
    .where(and(eq(leader.id, ROW), eq(leader.instance_id, service.instanceId)));
}

function isSame(seen: SeenRow, row: LeaderRow): boolean {
  const { instance_id, term, until_ms } = row;
  return seen.instance_id === instance_id && seen.term === term && seen.until_ms === until_ms;
}

function isRow({ instance_id, term, until_ms }: LeaderRow) {
  return and(
    eq(leader.id, ROW),
    eq(leader.instance_id, instance_id),
    eq(leader.term, term),
    eq(leader.until_ms, until_ms),
  );
}

async function readRow(db: Database): Promise<LeaderRow | undefined> {
  const [row] = await db.select().from(leader).where(eq(leader.id, ROW));
  return row;
}

/** Inserts the row if it is missing, and returns the one that is stored. */
async function firstRow({ db }: LeadershipDeps, holder: string): Promise<LeaderRow> {
  const free = { id: ROW, instance_id: NOBODY, holder, term: 0, until_ms: 0 };
  await db.insert(leader).values(free).onConflictDoNothing();
  return (await readRow(db)) ?? free;
}
