import type { z } from 'zod';
import type { AttemptEventPayload } from '@switchyard/shared/protocol/attempt-event';
import type { Database, Statement } from '../../db/database.ts';
import { attemptChecks } from '../../db/schema/work/attempt-checks.ts';

export type ReportedCheck = z.infer<typeof AttemptEventPayload.check> & {
  /** When it began or ended, at the runner; epoch milliseconds. */
  atMs: number;
};

/** The statement that stores where a declared check of an attempt stands now: its last run. */
export function storeCheck(
  db: Database,
  attempt: { attempt_id: string; epoch: number },
  check: ReportedCheck,
): Statement {
  const now = {
    ...{ epoch: attempt.epoch, commit_sha: check.commitSha, run: check.run },
    ...(check.state === 'started'
      ? {
          ...{ state: 'running' as const, started_at_ms: check.atMs, ended_at_ms: null },
          ...{ exit_code: null, duration_ms: null, output: null },
          ...{ changed_files: null, message: null },
        }
      : {
          ...{ state: check.result, ended_at_ms: check.atMs },
          ...{ exit_code: check.exitCode, duration_ms: Math.round(check.durationMs) },
          ...{ output: check.output, changed_files: check.changedFiles ?? null },
          message: check.message ?? null,
        }),
  };
  const began = check.state === 'started' ? check.atMs : check.atMs - Math.round(check.durationMs);
  return db
    .insert(attemptChecks)
    .values({
      attempt_id: attempt.attempt_id,
      name: check.name,
      ...now,
      started_at_ms: began,
    })
    .onConflictDoUpdate({ target: [attemptChecks.attempt_id, attemptChecks.name], set: now });
}
