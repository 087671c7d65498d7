import { eq, exists, sql } from 'drizzle-orm';
import type { OverrideResponse } from '@switchyard/shared/api/work/issue';
import type { Caller } from '../../http/caller/caller.ts';
import { templates } from '../../db/schema/admin/templates.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { findTemplate } from '../../attempts/templates/find-template.ts';
import { requireIssue } from '../queries.ts';
import { overrideIssue } from './override-issue.ts';

/**
 * Sets the prompt template of an issue's next attempts; null restores the configured one. Throws a
 * 404 for an unknown issue or template.
 */
export async function setIssueTemplate(
  deps: Pick<Deps, 'db' | 'clock' | 'config'>,
  input: { identifier: string; caller: Caller; templateId: string | null },
): Promise<OverrideResponse> {
  const { identifier, caller, templateId } = input;
  if (templateId === null) {
    const change = { template_id: null };
    return overrideIssue(deps, { identifier, caller, change, operation: 'issue.template.clear' });
  }
  await requireIssue(deps.db, identifier);
  const { builtIn } = await findTemplate(deps, templateId);
  // The statement that stores the choice checks again that the template exists: from then on it
  // cannot be deleted.
  const isThere = exists(
    deps.db
      .select({ one: sql`1` })
      .from(templates)
      .where(eq(templates.template_id, templateId)),
  );
  const otherwise = new AppError('not_found', `template ${templateId} not found`);
  return overrideIssue(deps, {
    identifier,
    caller,
    operation: 'issue.template.set',
    change: { template_id: templateId },
    ...(builtIn ? {} : { only: { holds: isThere, otherwise } }),
  });
}
