import type { BoundStatement } from '../../../control-plane/src/platform/node/database/libsql-file.ts';

/** Whose events a statement stores, when it is the one that stores a frame of a runner's events. */
export function runnerEventInsert({
  sql,
  args,
}: BoundStatement): { attemptId: string; epoch: number } | null {
  if (
    !/^insert into event_chunks\s+\(first_seq, last_seq, attempt_id, epoch, from_runner_seq/.test(
      sql,
    )
  )
    return null;
  const [, attemptId, epoch, fromRunnerSeq] = args;
  if (fromRunnerSeq === null) return null;
  return { attemptId: String(attemptId), epoch: Number(epoch) };
}
