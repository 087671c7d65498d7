import type { CreateTemplate, Template } from '@switchyard/shared/api/admin/template';
import { commitChange } from '../../observe/events/commit-change.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { templates } from '../../db/schema/admin/templates.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { nameKey } from './name-key.ts';
import { templatePage } from '../prompt/queries.ts';
import { refuseTemplateError } from './refuse-template-error.ts';
import { checkTemplate } from '../prompt/render-template.ts';
import { templateRecord } from '../prompt/template-record.ts';

const MAX_TEMPLATES = 1_000;

/** Stores a new template. Throws a 400 on a syntax error, a 409 on a used name. */
export async function createTemplate(
  deps: Pick<Deps, 'db' | 'clock' | 'ids'>,
  input: CreateTemplate & { caller: Caller },
): Promise<Template> {
  const body = input.body.toWellFormed();
  refuseTemplateError(() => checkTemplate(body));
  const nowMs = deps.clock.nowMs();
  const { total } = await templatePage(deps.db, { limit: 1, offset: 0 });
  if (total >= MAX_TEMPLATES) {
    throw new AppError(
      'conflict',
      `there are ${MAX_TEMPLATES} templates already; delete one first`,
    );
  }
  const row = {
    template_id: deps.ids.next('tpl'),
    name: input.name.toWellFormed(),
    name_key: nameKey(input.name),
    body,
    created_at_ms: nowMs,
    updated_at_ms: nowMs,
  };
  const committed = await commitChange(deps, {
    swap: deps.db.insert(templates).values(row).onConflictDoNothing({ target: templates.name_key }),
    audit: {
      caller: input.caller,
      operation: 'template.create',
      subject: row.template_id,
      details: { name: row.name },
    },
    nowMs,
  });
  if (!committed)
    throw new AppError('conflict', `the name ${row.name} is used by another template`);
  return templateRecord(row);
}
