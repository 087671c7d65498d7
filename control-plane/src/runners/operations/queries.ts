import { and, count, desc, eq, inArray, isNotNull, isNull } from 'drizzle-orm';
import { engineName } from '../../config/sections/routing/format-problem.ts';
import type { Database } from '../../db/database.ts';
import { attempts } from '../../db/schema/work/attempts.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import { enginesOf, type OwnEngine } from '../available-engines/engines-of.ts';
import type { ThreadPlace } from './decide.ts';

const held = and(inArray(attempts.status, ['queued', 'running']), isNull(attempts.released_at_ms));

/** Runners with their held attempts, and where a thread ran last, in one batch. */
export async function readPlaces(
  db: Database,
  threadId: string | undefined,
): Promise<{
  runners: { runnerId: string; draining: boolean; attempts: number; engines: OwnEngine[] }[];
  thread: ThreadPlace | null;
}> {
  const [rows, loads, places] = await db.batch([
    db
      .select({
        runnerId: runners.runner_id,
        draining: runners.draining,
        engines: runners.engines,
        engine_version: runners.engine_version,
      })
      .from(runners)
      .where(isNull(runners.revoked_at_ms)),
    db
      .select({ runnerId: attempts.runner_id, attempts: count() })
      .from(attempts)
      .where(held)
      .groupBy(attempts.runner_id),
    db
      .select({
        runnerId: attempts.runner_id,
        engine: attempts.engine,
        status: attempts.status,
        releasedAtMs: attempts.released_at_ms,
      })
      .from(attempts)
      .where(and(eq(attempts.thread_id, threadId ?? ''), isNotNull(attempts.runner_id)))
      .orderBy(desc(attempts.queued_at_ms))
      .limit(1),
  ]);
  const loadOf = new Map(loads.map((load) => [load.runnerId, load.attempts]));
  const place = places[0];
  return {
    runners: rows.map(({ runnerId, draining, ...row }) => ({
      runnerId,
      draining,
      engines: enginesOf(row),
      attempts: loadOf.get(runnerId) ?? 0,
    })),
    thread:
      place === undefined || place.runnerId === null
        ? null
        : {
            runnerId: place.runnerId,
            engine: engineName(place.engine),
            live: place.status === 'running' && place.releasedAtMs === null,
          },
  };
}
