import { and, eq, notExists, sql } from 'drizzle-orm';
import { commitChange } from '../../observe/events/commit-change.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { issues } from '../../db/schema/work/issues.ts';
import { templates } from '../../db/schema/admin/templates.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { issuesWithTemplate, templateById } from '../prompt/queries.ts';
import { refuseBuiltIn } from './refuse-built-in.ts';

const NAMED_ISSUES = 10;

/**
 * Deletes an unused template. Throws a 404, or a 409 while an issue or the configuration uses it:
 * their next attempt would otherwise silently get another prompt.
 */
export async function deleteTemplate(
  deps: Pick<Deps, 'db' | 'clock' | 'config'>,
  input: { id: string; caller: Caller },
): Promise<void> {
  const { id } = input;
  refuseBuiltIn(id);
  const current = await templateById(deps.db, id);
  if (current === null) throw new AppError('not_found', `template ${id} not found`);
  if ((await deps.config.load()).agent.templateId === id) {
    throw inUse(id, 'the configuration names it as agent.templateId');
  }
  const isUnused = notExists(
    deps.db
      .select({ one: sql`1` })
      .from(issues)
      .where(eq(issues.template_id, id)),
  );
  const committed = await commitChange(deps, {
    swap: deps.db.delete(templates).where(and(eq(templates.template_id, id), isUnused)),
    audit: {
      caller: input.caller,
      operation: 'template.delete',
      subject: id,
      details: { name: current.name },
    },
  });
  if (!committed) {
    const users = await issuesWithTemplate(deps.db, id, NAMED_ISSUES);
    if (users.length === 0) throw new AppError('not_found', `template ${id} not found`);
    throw inUse(id, `issues use it: ${users.join(', ')}`);
  }
}

function inUse(id: string, why: string): AppError {
  return new AppError('conflict', `template ${id} is in use: ${why}`, { reason: 'in_use' });
}
