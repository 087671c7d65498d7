import { and, eq, notExists, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Template, UpdateTemplate } from '@switchyard/shared/api/admin/template';
import { commitChange } from '../../observe/events/commit-change.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { templates } from '../../db/schema/admin/templates.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { nameKey } from './name-key.ts';
import { templateById } from '../prompt/queries.ts';
import { refuseBuiltIn } from './refuse-built-in.ts';
import { refuseTemplateError } from './refuse-template-error.ts';
import { checkTemplate } from '../prompt/render-template.ts';
import { templateRecord } from '../prompt/template-record.ts';

/**
 * Changes a template's name, body or both; running attempts keep the prompt with which they began.
 * Throws a 404, a 400 on a syntax error, a 409 on a used name or for a built-in template.
 */
export async function updateTemplate(
  deps: Pick<Deps, 'db' | 'clock'>,
  input: UpdateTemplate & { id: string; caller: Caller },
): Promise<Template> {
  refuseBuiltIn(input.id);
  const current = await templateById(deps.db, input.id);
  if (current === null) throw new AppError('not_found', `template ${input.id} not found`);
  const body = (input.body ?? current.body).toWellFormed();
  refuseTemplateError(() => checkTemplate(body));
  const name = (input.name ?? current.name).toWellFormed();
  const nowMs = deps.clock.nowMs();
  const change = { name, name_key: nameKey(name), body, updated_at_ms: nowMs };
  const other = alias(templates, 'other');
  const nameIsFree = notExists(
    deps.db
      .select({ one: sql`1` })
      .from(other)
      .where(and(eq(other.name_key, change.name_key), sql`${other.template_id} <> ${input.id}`)),
  );
  const committed = await commitChange(deps, {
    swap: deps.db
      .update(templates)
      .set(change)
      .where(and(eq(templates.template_id, input.id), nameIsFree)),
    audit: {
      caller: input.caller,
      operation: 'template.update',
      subject: input.id,
      details: { changed: Object.keys(change).filter((key) => isChanged(key, current, change)) },
    },
    nowMs,
  });
  if (!committed) {
    if ((await templateById(deps.db, input.id)) === null)
      throw new AppError('not_found', `template ${input.id} not found`);
    throw new AppError('conflict', `the name ${name} is used by another template`);
  }
  return templateRecord({ ...current, ...change });
}

function isChanged(
  key: string,
  before: { name: string; body: string },
  after: { name: string; body: string },
): boolean {
  return (key === 'name' || key === 'body') && before[key] !== after[key];
}
