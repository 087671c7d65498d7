import type { SQL } from 'drizzle-orm';
import type { OverrideResponse } from '@switchyard/shared/api/work/issue';
import type { Caller } from '../../http/caller/caller.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { Deps } from '../../deps.ts';
import type { AppError } from '../../errors.ts';
import { commitChange } from '../../observe/events/commit-change.ts';
import { issueEvent } from '../rows/issue-event.ts';
import { updateIssue } from '../../db/rows/update-issue.ts';
import { issueConflict } from '../set-issue-status.ts';
import { requireIssue } from '../queries.ts';

type Override = Partial<Pick<IssueRow, 'engine' | 'model' | 'reasoning_effort' | 'template_id'>>;

/**
 * Sets an issue's own choices (model, template), which apply from its next attempt on. Throws a 404
 * for an unknown issue.
 */
export async function overrideIssue(
  deps: Pick<Deps, 'db' | 'clock'>,
  input: {
    identifier: string;
    change: Override;
    operation: string;
    caller: Caller;
    /** Condition that must still hold when the choice is stored, and the error thrown otherwise. */
    only?: { holds: SQL; otherwise: AppError };
  },
): Promise<OverrideResponse> {
  const issue = await requireIssue(deps.db, input.identifier);
  const committed = await commitChange(deps, {
    swap: updateIssue(deps.db, issue, input.change, input.only?.holds),
    audit: {
      caller: input.caller,
      operation: input.operation,
      subject: issue.identifier,
      details: input.change,
    },
    events: [issueEvent(issue)],
  });
  if (!committed) throw input.only?.otherwise ?? issueConflict(issue);
  const now = { ...issue, ...input.change };
  return {
    ok: true,
    engine: now.engine,
    model: now.model,
    reasoningEffort: now.reasoning_effort,
    templateId: now.template_id,
    appliesNextAttempt: true,
  };
}
