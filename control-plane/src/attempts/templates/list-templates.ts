import type { TemplateList } from '@switchyard/shared/api/admin/template';
import type { Deps } from '../../deps.ts';
import { builtInTemplates } from '../prompt/built-in-templates.ts';
import { TEMPLATE_VARIABLES } from '../prompt/prompt-variables.ts';
import { templatePage } from '../prompt/queries.ts';
import { templateRecord } from '../prompt/template-record.ts';

/** A page of all templates: the built-in ones first, then the stored ones by name. */
export async function listTemplates(
  deps: Pick<Deps, 'db' | 'config'>,
  page: { limit: number; offset: number },
): Promise<TemplateList> {
  const builtIn = builtInTemplates(await deps.config.load());
  const shown = builtIn.slice(page.offset, page.offset + page.limit);
  const { rows, total } = await templatePage(deps.db, {
    limit: page.limit - shown.length,
    offset: Math.max(0, page.offset - builtIn.length),
  });
  return {
    templates: [...shown, ...rows.map(templateRecord)],
    total: builtIn.length + total,
    variables: [...TEMPLATE_VARIABLES],
  };
}
