import type { EngineOperation } from '@switchyard/shared/protocol/engine-operations';
import type { z } from 'zod';
import { auditStatement } from '../../observe/audit/audit-statement.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { askEngine, type EngineDeps, type EngineQuestion } from './ask-engine.ts';

/**
 * As `askEngine`, for operations that change something; a completed one is written to the audit
 * log.
 */
export async function changeEngine<S extends z.ZodType>(
  deps: EngineDeps,
  schema: S,
  input: EngineQuestion & { caller: Caller },
): Promise<z.infer<S>> {
  const { operation, caller } = input;
  const answer = await askEngine(deps, schema, input);
  await deps.db.batch([
    auditStatement(deps.db, deps.clock.nowMs(), caller, {
      operation: `engine.${operation.op}`,
      ...subjectOf(operation),
      details: detailsOf(answer),
    }),
  ]);
  return answer;
}

function subjectOf(operation: EngineOperation): { subject?: string } {
  if ('threadId' in operation) return { subject: operation.threadId };
  if (operation.op === 'mcp.login') return { subject: operation.name };
  if (operation.op === 'account.cancel_login') return { subject: operation.loginId };
  return {};
}

function detailsOf(answer: unknown): Record<string, unknown> {
  const runnerId =
    typeof answer === 'object' && answer !== null && 'runnerId' in answer ? answer.runnerId : null;
  return typeof runnerId === 'string' ? { runnerId } : {};
}
