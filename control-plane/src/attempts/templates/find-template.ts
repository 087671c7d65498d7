import type {
  Template,
  PreviewTemplate,
  TemplatePreview,
} from '@switchyard/shared/api/admin/template';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { builtInTemplates } from '../prompt/built-in-templates.ts';
import { templateById } from '../prompt/queries.ts';
import { templateRecord } from '../prompt/template-record.ts';
import { SAMPLE_VARIABLES } from '../prompt/prompt-variables.ts';
import { refuseTemplateError } from './refuse-template-error.ts';
import { renderTemplate } from '../prompt/render-template.ts';

/** A template by its id, built-in ones included. Throws a 404. */
export async function findTemplate(
  deps: Pick<Deps, 'db' | 'config'>,
  id: string,
): Promise<Template> {
  const builtIn = builtInTemplates(await deps.config.load()).find((one) => one.id === id);
  if (builtIn !== undefined) return builtIn;
  const row = await templateById(deps.db, id);
  if (row === null) throw new AppError('not_found', `template ${id} not found`);
  return templateRecord(row);
}

/** Renders a template with the given values. Throws a 404, and a 400 when rendering fails. */
export async function previewTemplate(
  deps: Pick<Deps, 'db' | 'config'>,
  input: PreviewTemplate & { id: string },
): Promise<TemplatePreview> {
  const stored = await findTemplate(deps, input.id);
  const body = input.body ?? stored.body;
  const variables = input.variables ?? SAMPLE_VARIABLES;
  return { rendered: refuseTemplateError(() => renderTemplate(body, variables)) };
}
