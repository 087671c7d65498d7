import type { PreviewTemplate, TemplatePreview } from '@switchyard/shared/api/admin/template';
import type { Deps } from '../../deps.ts';
import { findTemplate } from './find-template.ts';
import { SAMPLE_VARIABLES } from '../prompt/prompt-variables.ts';
import { refuseTemplateError } from './refuse-template-error.ts';
import { renderTemplate } from '../prompt/render-template.ts';

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
