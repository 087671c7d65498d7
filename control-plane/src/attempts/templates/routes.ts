import { z } from '@hono/zod-openapi';
import {
  CreateTemplate,
  PreviewTemplate,
  Template,
  TemplateList,
  TemplatePreview,
  UpdateTemplate,
} from '@switchyard/shared/api/admin/template';
import type { Deps } from '../../deps.ts';
import { createTemplate } from './create-template.ts';
import { deleteTemplate } from './delete-template.ts';
import { findTemplate, previewTemplate } from './find-template.ts';
import { listTemplates } from './list-templates.ts';
import { endpoint, json, nothing } from '../../http/endpoint/endpoint.ts';
import { OffsetPage } from '../../http/endpoint/page-limit.ts';
import { updateTemplate } from './update-template.ts';

const ById = z.object({ id: z.string().min(1).max(64).openapi({ example: 'default' }) });

/** Prompt templates. */
export function templateRoutes(deps: Pick<Deps, 'db' | 'clock' | 'ids' | 'config'>) {
  return [
    endpoint({
      at: 'GET /api/v1/templates',
      summary: 'Templates, and the variables that they may name',
      query: OffsetPage,
      answer: json(200, 'A page of templates', TemplateList),
      handler: ({ query }) => listTemplates(deps, query),
    }),
    endpoint({
      at: 'GET /api/v1/templates/{id}',
      summary: 'One template',
      params: ById,
      answer: json(200, 'The template', Template),
      handler: ({ params: { id } }) => findTemplate(deps, id),
    }),
    endpoint({
      at: 'POST /api/v1/templates',
      summary: 'Create a template',
      description: 'Liquid. A syntax error or an unknown filter is a 400 that names its position.',
      body: CreateTemplate,
      answer: json(201, 'The template', Template),
      refusals: { 409: 'Its name is used, or there are too many templates' },
      handler: ({ body, caller }) => createTemplate(deps, { ...body, caller }),
    }),
    endpoint({
      at: 'PUT /api/v1/templates/{id}',
      summary: 'Change a template; what is left out stays',
      params: ById,
      body: UpdateTemplate,
      answer: json(200, 'The template', Template),
      refusals: { 409: 'Its name is used by another template' },
      handler: ({ params: { id }, body, caller }) => updateTemplate(deps, { ...body, id, caller }),
    }),
    endpoint({
      at: 'DELETE /api/v1/templates/{id}',
      summary: 'Delete a template that nothing uses',
      description:
        'Refused with 409 while an issue or `agent.templateId` names it, and for a built-in one.',
      params: ById,
      answer: nothing('Deleted'),
      refusals: { 409: 'It is in use, or built in' },
      handler: ({ params: { id }, caller }) => deleteTemplate(deps, { id, caller }),
    }),
    endpoint({
      at: 'POST /api/v1/templates/{id}/preview',
      summary: 'Render a template',
      description:
        'Strict: a variable that is not given is a 400 that names its position. Without `variables` the documented examples are used.',
      params: ById,
      body: PreviewTemplate,
      answer: json(200, 'The rendered output', TemplatePreview),
      handler: ({ params: { id }, body }) => previewTemplate(deps, { ...body, id }),
    }),
  ] as const;
}
