import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Caller } from '../caller/caller.ts';
import type { HttpEnv } from '../bindings.ts';
import { callerOf } from '../caller/caller.ts';
import { showSecret } from '../answers/redact-answers.ts';
import { sendJson } from '../send-json.ts';
import {
  type Answer,
  describeOperation,
  isJson,
  type OperationText,
} from './describe-operation.ts';

type Method = 'get' | 'put' | 'post' | 'patch' | 'delete';
type MethodOf<At> = At extends `${infer Name} ${string}` ? Lowercase<Name> & Method : never;
type PathOf<At> = At extends `${string} ${infer Path}` ? Path : never;
type Part<Name extends string, Value> = [Value] extends [never] ? object : { [Key in Name]: Value };
type JsonBody<Body> = [Body] extends [never]
  ? never
  : { content: { 'application/json': { schema: Body } } };

/** The input of a handler: the request as parsed by the schemas, and its caller. */
type Given<Params, Query, Headers, Body> = {
  params: z.output<Params>;
  query: z.output<Query>;
  headers: z.output<Headers>;
  body: z.output<Body>;
  readonly caller: Caller;
  c: Context<HttpEnv>;
};

/** The result that a handler returns for an answer. */
type ResultOf<Given> =
  Given extends Answer<number, Content<string, infer Schema>>
    ? z.output<Schema> | Response
    : void | Response;

/**
 * Defines one operation of the HTTP API: path, input, answer and handler. Its possible refusals,
 * id, tag and required scope are derived; `refusals` adds others.
 */
export function endpoint<
  const At extends `${Uppercase<Method>} /${string}`,
  Gives extends Answer<number, unknown>,
  Params extends z.ZodType = never,
  Query extends z.ZodType = never,
  Headers extends z.ZodType = never,
  Body extends z.ZodType = never,
>(
  spec: OperationText & {
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
    const result = await spec.handler(given);
    if (spec.showsSecret === true) showSecret(c);
    return respond(c, spec.answer, result);
  };
  return { route: describeOperation(spec) as unknown as Route, handler };
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
  return isText ? c.text(result) : sendJson(c, result, status);
}

type Content<Type extends string, Schema extends z.ZodType> = {
  content: { [Each in Type]: { schema: Schema } };
};

/** A JSON answer; the handler returns its value. */
export function json<Status extends 200 | 201 | 202, Schema extends z.ZodType>(
  status: Status,
  description: string,
  schema: Schema,
): Answer<Status, Content<'application/json', Schema>> {
  return { status, response: { description, content: { 'application/json': { schema } } } };
}

/** A plain text answer; the handler returns the text. */
export function text(description: string): Answer<200, Content<'text/plain', z.ZodString>> {
  return {
    status: 200,
    response: { description, content: { 'text/plain': { schema: z.string() } } },
  };
}

/** An answer of another type, or one of several; the handler returns the whole response. */
export function raw<Type extends string>(
  types: Type | readonly Type[],
  description: string,
  schema: z.ZodType = z.string(),
): Answer<200, Content<Type, z.ZodType>> {
  const content = Object.fromEntries([types].flat().map((type) => [type, { schema }]));
  return {
    status: 200,
    response: { description, content: content as Content<Type, z.ZodType>['content'] },
  };
}

/** An answer without a body. */
export function nothing(description: string): Answer<204, unknown> {
  return { status: 204, response: { description } };
}
