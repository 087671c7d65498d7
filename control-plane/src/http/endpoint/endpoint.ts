import type { RouteConfig, z } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import type { Caller } from '../../observe/audit/caller.ts';
import type { HttpEnv } from '../bindings.ts';
import { callerOf } from '../caller/caller.ts';
import { hasOwnAuthorization } from '../is-api-path.ts';
import type { Answer, ResultOf } from './answer.ts';
import { operationId } from './operation-id.ts';
import { type Refusals, refusalResponses } from './refusals.ts';
import { tagOf } from './tags.ts';

type Method = 'get' | 'put' | 'post' | 'patch' | 'delete';
type MethodOf<At> = At extends `${infer Name} ${string}` ? Lowercase<Name> & Method : never;
type PathOf<At> = At extends `${string} ${infer Path}` ? Path : never;
type Part<Name extends string, Value> = [Value] extends [never] ? object : { [Key in Name]: Value };
type JsonBody<Body> = [Body] extends [never]
  ? never
  : { content: { 'application/json': { schema: Body } } };

/** What a handler is given: the request as the schemas took it, and who makes it. */
type Given<Params, Query, Headers, Body> = {
  params: z.output<Params>;
  query: z.output<Query>;
  headers: z.output<Headers>;
  body: z.output<Body>;
  readonly caller: Caller;
  c: Context<HttpEnv>;
};

/** The part of an operation that its types do not depend on. */
type Words = {
  summary: string;
  description?: string;
  /** Left out: made of method and path. */
  operationId?: string;
  refusals?: Refusals;
  /** The body may be left out, and counts as `{}` then. */
  optionalBody?: true;
  /** A JSON body that is only documented: the handler reads the bytes, which are signed. */
  signedBody?: true;
  /** The answer is kept nowhere. */
  noStore?: true;
  /** What stands before the schemas look at the request. */
  guards?: MiddlewareHandler<HttpEnv>[];
};

/**
 * One operation of the HTTP interface: where it is, what it takes and answers, what it does. How it
 * may be refused, its name, its group and who may call it follow from that; `refusals` adds the rest.
 */
export function endpoint<
  const At extends `${Uppercase<Method>} /${string}`,
  Gives extends Answer<number, unknown>,
  Params extends z.ZodType = never,
  Query extends z.ZodType = never,
  Headers extends z.ZodType = never,
  Body extends z.ZodType = never,
>(
  spec: Words & {
    at: At;
    params?: Params;
    query?: Query;
    headers?: Headers;
    body?: Body;
    answer: Gives;
    handler: (
      given: Given<Params, Query, Headers, Body>,
    ) => ResultOf<Gives> | Promise<ResultOf<Gives>>;
  },
) {
  type Route = {
    method: MethodOf<At>;
    path: PathOf<At>;
    request: Part<'params', Params> &
      Part<'query', Query> &
      Part<'headers', Headers> &
      Part<'body', JsonBody<Body>>;
    responses: { [Status in Gives['status']]: Gives['response'] };
  };
  const handler = async (c: Context<HttpEnv>): Promise<Response> => {
    if (spec.noStore === true) c.header('Cache-Control', 'no-store');
    const given = givenBy(c) as Given<Params, Query, Headers, Body>;
    return respond(c, spec.answer, await spec.handler(given));
  };
  return { route: describe(spec) as unknown as Route, handler };
}

function givenBy(c: Context<HttpEnv>) {
  const taken = (part: string): unknown => c.req.valid(part as never);
  return {
    c,
    params: taken('param'),
    query: taken('query'),
    headers: taken('header'),
    body: taken('json'),
    get caller() {
      return callerOf(c);
    },
  };
}

function respond(
  c: Context<HttpEnv>,
  { status, response }: Answer<number, unknown>,
  result: unknown,
): Response {
  if (result instanceof Response) return result;
  if (status === 204) return c.body(null, 204);
  const isText = typeof result === 'string' && !isJson(response);
  return isText ? c.text(result) : c.json(result as object, status as 200);
}

function isJson(response: object): boolean {
  return 'content' in response && 'application/json' in (response.content as object);
}

type Described = Words & {
  at: string;
  params?: z.ZodType;
  query?: z.ZodType;
  headers?: z.ZodType;
  body?: z.ZodType;
  answer: Answer<number, unknown>;
};

/** The operation as the generator of the document, and the router, take it. */
function describe(spec: Described): RouteConfig {
  const { at, summary, description, params, query, headers, body, answer } = spec;
  const [verb = '', path = ''] = at.split(' ');
  const method = verb.toLowerCase() as Method;
  const shape = {
    method,
    path,
    params: params !== undefined,
    input: query !== undefined || headers !== undefined,
    body: body !== undefined || spec.signedBody === true,
  };
  // Every JSON read has a tag, by which a client asks whether it has the present version.
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
      body: body && jsonBody(body, spec.optionalBody !== true),
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

function jsonBody(schema: z.ZodType, required: boolean) {
  const { description } = schema;
  return { required, description, content: { 'application/json': { schema } } };
}
