import { and, eq, lte, or, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { leader } from '../db/schema/leader.ts';
import type { Clock } from '../ports.ts';

/** Only one row, so only one leader. */
const ROW = 1;
/** A leader that has not renewed for this long is gone. */
export const LEADER_TTL_MS = 15_000;
/** Three chances within the time to live. */
export const LEADER_RENEW_MS = 5_000;

export type LeadershipInput = {
  instanceId: string;
  /** Names host and process, for a successor on the same host. */
  holder: string;
  /** Whether the process behind another holder is surely gone; false when nothing is known. */
  holderGone: (holder: string) => boolean;
};

export type Leadership = { leads: boolean; untilMs: number; leaderId: string | null };

/**
 * Takes or keeps the leadership. One compare-and-swap: an instance leads when the row is its own,
 * when its time is up, or when its holder is known to be gone. One that has renewed less than
 * `LEADER_RENEW_MS` ago only looks: each renewal waits for the disk.
 */
export async function holdLeadership(
  deps: { db: Database; clock: Clock },
  input: LeadershipInput,
): Promise<Leadership> {
  const { db } = deps;
  const nowMs = deps.clock.nowMs();
  const untilMs = nowMs + LEADER_TTL_MS;
  const mine = { instance_id: input.instanceId, holder: input.holder, until_ms: untilMs };
  const [found] = await db.select().from(leader).where(eq(leader.id, ROW));
  if (found?.instance_id === input.instanceId && isFresh(found.until_ms - nowMs)) {
    return { leads: true, untilMs: found.until_ms, leaderId: input.instanceId };
  }
  const present = found ?? (await firstLeader(db, mine));
  if (present === undefined) return { leads: false, untilMs: nowMs, leaderId: null };
  const own = present.instance_id === input.instanceId;
  const gone = !own && input.holderGone(present.holder);
  const taken = await db
    .update(leader)
    .set({ ...mine, term: own ? present.term : sql`${leader.term} + 1` })
    .where(
      and(
        eq(leader.id, ROW),
        eq(leader.term, present.term),
        or(
          eq(leader.instance_id, input.instanceId),
          lte(leader.until_ms, nowMs),
          gone ? eq(leader.holder, present.holder) : sql`0`,
        ),
      ),
    )
    .returning({ id: leader.id });
  if (taken.length === 1) return { leads: true, untilMs, leaderId: input.instanceId };
  return { leads: false, untilMs: present.until_ms, leaderId: present.instance_id };
}

function isFresh(leftMs: number): boolean {
  // More than its whole time is left only where the clock went back.
  return leftMs > LEADER_TTL_MS - LEADER_RENEW_MS && leftMs <= LEADER_TTL_MS;
}

/** The row that is there from now on, whoever wrote it. */
async function firstLeader(
  db: Database,
  mine: { instance_id: string; holder: string; until_ms: number },
): Promise<typeof leader.$inferSelect | undefined> {
  await db
    .insert(leader)
    .values({ id: ROW, term: 1, ...mine })
    .onConflictDoNothing();
  const [row] = await db.select().from(leader).where(eq(leader.id, ROW));
  return row;
}

/** Gives the leadership up, so that a successor need not wait. */
export async function releaseLeadership(
  deps: { db: Database; clock: Clock },
  instanceId: string,
): Promise<void> {
  await deps.db
    .update(leader)
    .set({ until_ms: deps.clock.nowMs() })
    .where(and(eq(leader.id, ROW), eq(leader.instance_id, instanceId)));
}
