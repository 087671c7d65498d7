import type { RouteConfig, z } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import type { HttpEnv } from '../bindings.ts';
import { hasOwnAuthorization } from '../is-api-path.ts';
import { type Refusals, refusalResponses } from './refusals.ts';
import { tagOf } from './tags.ts';

/** The successful answer of an operation, as the document describes it. */
export type Answer<Status extends number, Content> = {
  status: Status;
  response: { description: string } & Content;
};

/** The part of an operation that does not affect its types. */
export type OperationText = {
  summary: string;
  description?: string;
  /** Left out: derived from method and path. */
  operationId?: string;
  refusals?: Refusals;
  /** The body may be left out and is then `{}`. */
  optionalBody?: true;
  /** A JSON body that is only documented: the handler reads the raw bytes, which are signed. */
  signedBody?: true;
  /** The response must not be cached. */
  noStore?: true;
  /** The response contains a secret that was created for the caller. */
  showsSecret?: true;
  /** Middleware that runs before the schemas check the request. */
  guards?: MiddlewareHandler<HttpEnv>[];
};

type Described = OperationText & {
  at: string;
  params?: z.ZodType;
  query?: z.ZodType;
  headers?: z.ZodType;
  body?: z.ZodType;
  answer: Answer<number, unknown>;
};

/** The operation in the form of the document generator and the router. */
export function describeOperation(spec: Described): RouteConfig {
  const { at, summary, description, params, query, headers, body, answer } = spec;
  const [verb = '', path = ''] = at.split(' ');
  const method = verb.toLowerCase();
  const shape = {
    method,
    path,
    params: params !== undefined,
    input: query !== undefined || headers !== undefined,
    body: body !== undefined || spec.signedBody === true,
  };
  // A JSON read that may be stored has an ETag, by which a client checks whether its version is
  // current.
  const isTagged = method === 'get' && isJson(answer.response) && spec.noStore !== true;
  return {
    method,
    path,
    summary,
    description,
    middleware: spec.guards,
    operationId: spec.operationId ?? operationId(method, path),
    tags: [tagOf(path)],
    ...(hasOwnAuthorization(path) ? { security: [] } : {}),
    request: {
      params,
      query,
      headers,
      body: body && jsonBody(body, spec),
    },
    ...(spec.signedBody === true ? { requestBody: SIGNED_BODY } : {}),
    responses: {
      [answer.status]: answer.response,
      ...(isTagged ? UNCHANGED : {}),
      ...refusalResponses(shape, spec.refusals ?? {}),
    },
  } as RouteConfig;
}

const SIGNED_BODY = {
  required: true,
  content: { 'application/json': { schema: { type: 'object' } } },
};
const UNCHANGED = { 304: { description: 'Nothing has changed since the given ETag' } };

function jsonBody(schema: z.ZodType, { optionalBody }: OperationText) {
  const { description } = schema;
  const required = optionalBody !== true;
  return { required, description, content: { 'application/json': { schema } } };
}

/** Whether a response is JSON. */
export function isJson(response: object): boolean {
  return 'content' in response && 'application/json' in (response.content as object);
}

const VERBS: Readonly<Record<string, string>> = {
  get: 'get',
  put: 'replace',
  post: 'post',
  patch: 'change',
  delete: 'delete',
};

/**
 * Derives the id: `POST /api/v1/{id}/abort` becomes `postByIdAbort`, unique because method and path
 * are.
 */
function operationId(method: string, path: string): string {
  const segments = path
    .replace(/^\/api\/v1/, '')
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => segment.replace(/^\{(.+)\}$/, 'by-$1'))
    .flatMap((segment) => segment.split(/[^A-Za-z0-9]+/));
  const name = segments.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('');
  return `${VERBS[method] ?? method}${name}`;
}
