import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import {
  CreateTemplate,
  PreviewTemplate,
  Template,
  TemplateList,
  TemplatePreview,
  UpdateTemplate,
} from '@switchyard/shared/api/admin/template';
import type { Deps } from '../../deps.ts';
import { callerOf } from '../../http/caller/caller.ts';
import { errorResponses } from '../../http/error-responses.ts';
import { jsonContent } from '../../json-content.ts';
import { createTemplate } from './create-template.ts';
import { deleteTemplate } from './delete-template.ts';
import { findTemplate } from './find-template.ts';
import { listTemplates } from './list-templates.ts';
import { previewTemplate } from './preview-template.ts';
import { updateTemplate } from './update-template.ts';

const Params = z.object({ id: z.string().min(1).max(64).openapi({ example: 'default' }) });
const Page = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(50),
  offset: z.coerce.number().int().min(0).default(0),
});

/** Prompt templates. */
export function templateRoutes(deps: Pick<Deps, 'db' | 'clock' | 'ids' | 'config'>) {
  return [
    listRoute(deps),
    getRoute(deps),
    createTemplateRoute(deps),
    updateRoute(deps),
    deleteRoute(deps),
    previewRoute(deps),
  ] as const;
}

function listRoute(deps: Pick<Deps, 'db' | 'config'>) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'get',
      path: '/api/v1/templates',
      summary: 'Templates, and the variables that they may name',
      request: { query: Page },
      responses: { 200: jsonContent('A page of templates', TemplateList), ...errorResponses(400) },
    }),
    handler: async (c) => c.json(await listTemplates(deps, c.req.valid('query')), 200),
  });
}

function getRoute(deps: Pick<Deps, 'db' | 'config'>) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'get',
      path: '/api/v1/templates/{id}',
      summary: 'One template',
      request: { params: Params },
      responses: { 200: jsonContent('The template', Template), ...errorResponses(404) },
    }),
    handler: async (c) => c.json(await findTemplate(deps, c.req.valid('param').id), 200),
  });
}

function createTemplateRoute(deps: Pick<Deps, 'db' | 'clock' | 'ids'>) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'post',
      path: '/api/v1/templates',
      summary: 'Create a template',
      description: 'Liquid. A syntax error or an unknown filter is a 400 that names its position.',
      request: { body: body(CreateTemplate) },
      responses: {
        201: jsonContent('The template', Template),
        ...errorResponses(400, 403, 409, 413, 415),
      },
    }),
    handler: async (c) =>
      c.json(await createTemplate(deps, { ...c.req.valid('json'), caller: callerOf(c) }), 201),
  });
}

function updateRoute(deps: Pick<Deps, 'db' | 'clock'>) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'put',
      path: '/api/v1/templates/{id}',
      summary: 'Change a template; what is left out stays',
      request: { params: Params, body: body(UpdateTemplate) },
      responses: {
        200: jsonContent('The template', Template),
        ...errorResponses(400, 403, 404, 409, 413, 415),
      },
    }),
    handler: async (c) => {
      const { id } = c.req.valid('param');
      const input = { ...c.req.valid('json'), id, caller: callerOf(c) };
      return c.json(await updateTemplate(deps, input), 200);
    },
  });
}

function deleteRoute(deps: Pick<Deps, 'db' | 'clock' | 'config'>) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'delete',
      path: '/api/v1/templates/{id}',
      summary: 'Delete a template that nothing uses',
      description:
        'Refused with 409 while an issue or `agent.templateId` names it, and for a built-in one.',
      request: { params: Params },
      responses: { 204: { description: 'Deleted' }, ...errorResponses(403, 404, 409) },
    }),
    handler: async (c) => {
      await deleteTemplate(deps, { id: c.req.valid('param').id, caller: callerOf(c) });
      return c.body(null, 204);
    },
  });
}

function previewRoute(deps: Pick<Deps, 'db' | 'config'>) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'post',
      path: '/api/v1/templates/{id}/preview',
      summary: 'Render a template',
      description:
        'Strict: a variable that is not given is a 400 that names its position. Without `variables` the documented examples are used.',
      request: { params: Params, body: body(PreviewTemplate) },
      responses: {
        200: jsonContent('The rendered output', TemplatePreview),
        ...errorResponses(400, 403, 404, 413, 415),
      },
    }),
    handler: async (c) => {
      const input = { ...c.req.valid('json'), id: c.req.valid('param').id };
      return c.json(await previewTemplate(deps, input), 200);
    },
  });
}

function body<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { 'application/json': { schema } } };
}
