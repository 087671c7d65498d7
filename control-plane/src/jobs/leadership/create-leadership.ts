import { and, eq } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { leader } from '../../db/schema/operation/leader.ts';
import type { Deps } from '../../deps.ts';

/** Only one row, so only one leader. */
const ROW = 1;
/** A leader whose row has not changed for this long is gone. */
export const LEADER_TTL_MS = 15_000;
/** Three chances within the time to live. */
export const LEADER_RENEW_MS = 5_000;
/** As the holder of a row: a copy of the data is under way, and nobody leads until it is done. */
export const DATA_TRANSFER = 'data transfer';
/** As the instance of a row: whoever comes first may take it. */
export const NOBODY = '';

type LeaderRow = typeof leader.$inferSelect;

/** A row of another instance as it was seen, and since when by the observer's monotonic clock. */
export type SeenRow = Pick<LeaderRow, 'instance_id' | 'term' | 'until_ms'> & { sinceMs: number };

export type LeadershipInput = {
  /** Names host and process, for a successor on the same host. */
  holder: string;
  /** Whether the process behind another holder is surely gone; false when nothing is known. */
  holderGone: (holder: string) => boolean;
  /** What an earlier start of the same observer has seen; its monotonic clock went on. */
  seen?: SeenRow | null;
};

export type Leadership = {
  leads: boolean;
  leaderId: string | null;
  /** To be held again after this. */
  nextCheckInMs: number;
  /** What this instance waits to see unchanged; null when it leads. */
  seen: SeenRow | null;
};

type LeadershipDeps = Pick<Deps, 'db' | 'clock' | 'service'>;

/**
 * Takes or keeps the leadership each time it is called. A row that another instance renews changes;
 * one that stays as it is for a whole time to live, by the observer's own monotonic clock, has
 * expired, whatever its date says. It is taken by a compare-and-swap on exactly the row that was
 * seen, and under a new term. `service.lead` says under which term this instance may decide.
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
    // Read before anything is asked: the time to live counts from here.
    const atMs = clock.monotonicMs();
    const row = (await readRow(db)) ?? (await firstRow(deps, input.holder));
    const own = row.instance_id === instanceId && row.term === lead.term;
    // Each renewal waits for the disk, so one that is young is only looked at.
    if (own && atMs - renewedAtMs < LEADER_RENEW_MS) {
      return { leads: true, leaderId: instanceId, nextCheckInMs: LEADER_RENEW_MS, seen: null };
    }
    if (!mayTake(row, atMs)) return waits(row);
    const term = own ? row.term : row.term + 1;
    // Within a term it only grows, so that a renewal is seen even when the clock stands still.
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

/** Gives the leadership up, so that a successor need not wait. */
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

/** The row that is there from now on, whoever wrote it. */
async function firstRow({ db }: LeadershipDeps, holder: string): Promise<LeaderRow> {
  const free = { id: ROW, instance_id: NOBODY, holder, term: 0, until_ms: 0 };
  await db.insert(leader).values(free).onConflictDoNothing();
  return (await readRow(db)) ?? free;
}
