import type { z } from 'zod';
import type { AttemptEventPayload } from '@switchyard/shared/protocol/attempt-event';
import type { Database, Statement } from '../../db/database.ts';
import { checkpoints } from '../../db/schema/work/checkpoints.ts';

export type ReportedCheckpoint = z.infer<typeof AttemptEventPayload.checkpoint> & {
  runnerSeq: number;
};

/** Statement that stores a checkpoint that a runner reported. Reporting it again changes nothing. */
export function insertCheckpoint(
  db: Database,
  input: {
    checkpointId: string;
    attempt: { attempt_id: string; tracker: string; issue_id: string; epoch: number };
    reported: ReportedCheckpoint;
    nowMs: number;
  },
): Statement {
  const { attempt, reported } = input;
  return db
    .insert(checkpoints)
    .values({
      checkpoint_id: input.checkpointId,
      attempt_id: attempt.attempt_id,
      tracker: attempt.tracker,
      issue_id: attempt.issue_id,
      epoch: attempt.epoch,
      ordinal: reported.ordinal,
      trigger: reported.trigger,
      event_seq: reported.runnerSeq,
      thread_id: reported.threadId,
      turn_id: reported.turnId,
      commit_sha: reported.commitSha,
      base_commit: reported.baseCommit,
      diff_blob: reported.diffBlob,
      diff_stat: reported.diffStat,
      problems: reported.problems ?? null,
      session_blob: reported.sessionBlob,
      tokens: reported.tokens,
      created_at_ms: input.nowMs,
    })
    .onConflictDoNothing();
}
