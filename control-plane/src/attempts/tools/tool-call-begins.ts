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
  /** HTTP status of the tracker's or code host's response; null when there was none. */
  status: number | null;
  /** Stable code of the refusal; null when the call was not refused. */
  code: string | null;
  message: string | null;
  durationMs: number;
};

type Holder = Pick<AttemptRow, 'attempt_id' | 'identifier' | 'epoch'>;

/** The audit row of a call, written before the call changes anything. */
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

/** The end of a call as an audit row and as an event of the attempt. */
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
