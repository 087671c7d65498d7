import { auditStatement } from '../../observe/audit/audit-statement.ts';
import type { Caller } from '../../http/caller/caller.ts';
import type { Database, Statement } from '../../db/database.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import { appendEvents } from '../../observe/events/append-events.ts';

export type ToolCallRecord = {
  tool: string;
  method: string;
  path: string;
  outcome: 'done' | 'failed' | 'refused';
  /** Of the answer of the tracker or host. */
  status: number | null;
  /** Why it was refused, a stable word; null: it was not. */
  code: string | null;
  message: string | null;
  durationMs: number;
};

type Holder = Pick<AttemptRow, 'attempt_id' | 'identifier' | 'epoch'>;

/** The audit row that a call begins, written before anything changes anywhere. */
export function toolCallBegins(
  db: Database,
  nowMs: number,
  attempt: Holder,
  call: Pick<ToolCallRecord, 'tool' | 'method' | 'path'>,
): Statement {
  const { tool, method, path } = call;
  return auditStatement(db, nowMs, callerOf(attempt, tool), {
    operation: 'tool.begin',
    subject: attempt.identifier,
    details: { attemptId: attempt.attempt_id, method, path },
  });
}

/** How a call ended, as an audit row and as an event in the attempt's own stream. */
export function toolCallEnds(
  db: Database,
  nowMs: number,
  attempt: Holder,
  call: ToolCallRecord,
): [Statement, ...Statement[]] {
  const { attempt_id: attemptId, identifier, epoch } = attempt;
  const { tool, ...details } = call;
  const kind = call.outcome === 'refused' ? 'tool_refused' : 'tool_call';
  const data = { attemptId, identifier, epoch, runnerSeq: null, kind, payload: call };
  const origin = { attemptId, epoch, fromRunnerSeq: null };
  return [
    auditStatement(db, nowMs, callerOf(attempt, tool), {
      operation: call.outcome === 'refused' ? 'tool.refuse' : 'tool.call',
      subject: identifier,
      details: { attemptId, ...details },
    }),
    ...appendEvents(db, nowMs, [{ type: 'attempt.event', atMs: nowMs, data }], origin),
  ];
}

function callerOf(attempt: Holder, tool: string): Caller {
  const actor = `agent:${attempt.attempt_id}`;
  return { actor, source: 'runner', requestId: null, path: tool };
}
