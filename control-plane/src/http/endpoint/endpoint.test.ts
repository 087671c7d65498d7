import { OpenAPIHono, z } from '@hono/zod-openapi';
import { describe, expect, it } from 'vitest';
import { createRouteApp } from '../../../../test/support/route-app.ts';
import { createTestPorts } from '../../../../test/support/test-ports.ts';
import { endpoint, json, nothing, text } from './endpoint.ts';
import { OffsetPage } from './page-limit.ts';

const Thing = z.strictObject({ name: z.string().min(2) });
const byId = z.object({ id: z.string().max(5) });

const ROUTES = [
  endpoint({
    at: 'GET /api/v1/things',
    summary: 'Things',
    query: OffsetPage,
    answer: json(200, 'A page', z.object({ limit: z.int(), offset: z.int() })),
    handler: ({ query }) => query,
  }),
  endpoint({
    at: 'PUT /api/v1/things/{id}',
    summary: 'Replace a thing',
    params: byId,
    body: Thing,
    answer: json(201, 'The thing', z.object({ id: z.string(), name: z.string(), by: z.string() })),
    refusals: { 409: 'Its name is used', 503: 'No room for it' },
    handler: ({ params, body, caller }) => ({ ...params, ...body, by: caller.actor }),
  }),
  endpoint({
    at: 'POST /api/v1/things/{id}/name',
    summary: 'Name a thing, or let it be named',
    params: byId,
    body: Thing.partial(),
    optionalBody: true,
    answer: text('Its name'),
    handler: ({ body: { name = 'unnamed' } }) => name,
  }),
  endpoint({
    at: 'DELETE /api/v1/things/{id}',
    operationId: 'forgetThing',
    summary: 'Forget a thing',
    params: byId,
    answer: nothing('Forgotten'),
    handler: () => {},
  }),
  endpoint({
    at: 'GET /api/v1/session/thing',
    summary: 'A thing that is kept nowhere',
    answer: json(200, 'The thing', z.object({})),
    noStore: true,
    handler: () => ({}),
  }),
  endpoint({
    at: 'GET /healthz',
    summary: 'Alive',
    answer: json(200, 'Alive', z.object({})),
    handler: ({ c }) => c.body(null, 304),
  }),
] as const;

type Response = { $ref?: string; description?: string };
type Operation = { operationId: string; security?: object[]; responses: Record<string, Response> };

function operation(method: string, path: string): Operation {
  const app = new OpenAPIHono().openapiRoutes(ROUTES);
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
  });
  const paths = document.paths as Record<string, Record<string, Operation>>;
  const found = paths[path]?.[method];
  if (found === undefined) throw new Error(`${method} ${path} is not documented`);
  return found;
}

const statuses = (method: string, path: string) =>
  Object.keys(operation(method, path).responses).map(Number);

describe('endpoint', () => {
  const call = createRouteApp(createTestPorts().logger, ROUTES);

  it('derives what can go wrong from its shape', () => {
    expect(statuses('get', '/api/v1/things')).toEqual([200, 304, 400, 401, 403, 429, 500]);
    expect(statuses('delete', '/api/v1/things/{id}')).toEqual([204, 401, 403, 404, 429, 500, 503]);
    expect(statuses('put', '/api/v1/things/{id}')).toEqual([
      201, 400, 401, 403, 404, 408, 409, 413, 415, 429, 500, 503,
    ]);
    expect(statuses('get', '/healthz')).toEqual([200, 304, 403, 500]);
    expect(statuses('get', '/api/v1/session/thing')).not.toContain(304);
  });

  it('says what a refusal means where it knows better than its status', () => {
    const { responses } = operation('put', '/api/v1/things/{id}');
    expect(responses['409']).toMatchObject({ description: 'Its name is used' });
    expect(responses['503']).toMatchObject({
      description: 'No room for it; or another instance leads',
    });
    expect(responses['404']).toEqual({ $ref: '#/components/responses/Error404' });
  });

  it('names operations by method and path, and says which check their callers themselves', () => {
    expect(operation('put', '/api/v1/things/{id}').operationId).toBe('replaceThingsById');
    expect(operation('delete', '/api/v1/things/{id}').operationId).toBe('forgetThing');
    expect(operation('get', '/healthz').security).toEqual([]);
    expect(operation('get', '/api/v1/things').security).toBeUndefined();
  });

  it('gives handlers what the schemas took, and answers what they give', async () => {
    expect(await call('GET', '/api/v1/things?limit=7')).toMatchObject({
      status: 200,
      body: { limit: 7, offset: 0 },
    });
    expect(await call('PUT', '/api/v1/things/a', { name: 'box' })).toMatchObject({
      status: 201,
      body: { id: 'a', name: 'box', by: 'local' },
    });
    expect(await call('DELETE', '/api/v1/things/a')).toMatchObject({ status: 204, body: '' });
    expect(await call('POST', '/api/v1/things/a/name', {})).toMatchObject({
      status: 200,
      body: 'unnamed',
    });
    expect((await call('GET', '/healthz')).status).toBe(304);
  });

  it('refuses what its schemas refuse', async () => {
    expect((await call('GET', '/api/v1/things?limit=501')).status).toBe(400);
    expect((await call('PUT', '/api/v1/things/a', { name: 'b' })).status).toBe(400);
    expect((await call('PUT', '/api/v1/things/too-long', { name: 'box' })).status).toBe(404);
  });

  it('says that an answer is kept nowhere', async () => {
    const { headers } = await call('GET', '/api/v1/session/thing');
    expect(headers.get('Cache-Control')).toBe('no-store');
  });
});
