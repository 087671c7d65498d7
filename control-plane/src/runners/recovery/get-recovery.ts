import { desc, inArray } from 'drizzle-orm';
import type { RecoveryReport } from '@switchyard/shared/api/recovery-report';
import { type ShownAttempt, shownColumns } from '../../attempts/queries.ts';
import { attempts } from '../../db/schema/work/attempts.ts';
import { type FoundAttempt, recoveryReports } from '../../db/schema/operation/leader.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import { whatBecame } from './decide.ts';

/**
 * The report on the latest start: which attempts it found, and what became of them by their present
 * rows.
 */
export async function getRecovery(deps: Pick<Deps, 'db'>): Promise<RecoveryReport> {
  const [report] = await deps.db
    .select()
    .from(recoveryReports)
    .orderBy(desc(recoveryReports.started_at_ms))
    .limit(1);
  if (report === undefined)
    return { startedAt: null, instanceId: null, settled: true, attempts: [] };
  const ids = report.found.map((found) => found.attemptId);
  const rows =
    ids.length === 0
      ? []
      : await deps.db.select(shownColumns).from(attempts).where(inArray(attempts.attempt_id, ids));
  const byId = new Map(rows.map((row) => [row.attempt_id, row]));
  const seen = new Map(
    (
      await deps.db.select({ id: runners.runner_id, at: runners.last_seen_at_ms }).from(runners)
    ).map((row) => [row.id, row.at]),
  );
  const entries = report.found.map((found) =>
    entry(found, byId.get(found.attemptId), seen, report.started_at_ms),
  );
  return {
    startedAt: new Date(report.started_at_ms).toISOString(),
    instanceId: report.instance_id,
    settled: entries.every((found) => found.result !== 'waiting'),
    attempts: entries,
  };
}

function entry(
  found: FoundAttempt,
  row: ShownAttempt | undefined,
  seen: ReadonlyMap<string, number | null>,
  startedAtMs: number,
): RecoveryReport['attempts'][number] {
  const runnerSeenAtMs = found.runnerId === null ? null : (seen.get(found.runnerId) ?? null);
  const runnerHasSpoken = (runnerSeenAtMs ?? 0) > startedAtMs;
  const { result, detail } = whatBecame(found, row ?? null, { runnerHasSpoken });
  return {
    attemptId: found.attemptId,
    identifier: found.identifier,
    number: found.number,
    found: {
      status: found.status,
      phase: found.phase,
      runnerId: found.runnerId,
      epoch: found.epoch,
    },
    result,
    detail,
  };
}
