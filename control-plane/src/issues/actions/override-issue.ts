import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { OverrideResponse } from '@switchyard/shared/api/work/issue';
import { auditStatement } from '../../observe/audit/audit-statement.ts';
import type { Caller } from '../../observe/audit/caller.ts';
import { requireChange } from '../../db/require-change.ts';
import { type IssueRow, issues } from '../../db/schema/work/issues.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { appendEvents } from '../../observe/events/append.ts';
import { issueByIdentifier } from '../queries.ts';

type Override = Partial<Pick<IssueRow, 'model' | 'reasoning_effort' | 'template_id'>>;

/**
 * Sets an issue's own choices, which hold from its next attempt on. Throws a 404 for an unknown
 * issue, and what `isFenced` knows when `only` does not hold.
 */
export async function overrideIssue(
  deps: Pick<Deps, 'db' | 'clock' | 'events'>,
  input: {
    identifier: string;
    change: Override;
    operation: string;
    caller: Caller;
    /** What must still be true when it is stored. */
    only?: SQL;
  },
): Promise<OverrideResponse> {
  const issue = await issueByIdentifier(deps.db, input.identifier);
  if (issue === null) throw new AppError('not_found', `issue ${input.identifier} not found`);
  const nowMs = deps.clock.nowMs();
  const { id: issueId, identifier, status, reason, reason_code: reasonCode } = issue;
  await deps.db.batch([
    deps.db
      .update(issues)
      .set({ ...input.change, version: sql`${issues.version} + 1` })
      .where(and(eq(issues.tracker, issue.tracker), eq(issues.id, issueId), input.only)),
    requireChange(deps.db),
    auditStatement(deps.db, nowMs, input.caller, {
      operation: input.operation,
      subject: identifier,
      details: input.change,
    }),
    ...appendEvents(deps.db, nowMs, [
      {
        type: 'issue.updated',
        atMs: nowMs,
        data: { identifier, issueId, status, reason, reasonCode },
      },
    ]),
  ]);
  deps.events.notify(0);
  const now = { ...issue, ...input.change };
  return {
    ok: true,
    model: now.model,
    reasoningEffort: now.reasoning_effort,
    templateId: now.template_id,
    appliesNextAttempt: true,
  };
}
