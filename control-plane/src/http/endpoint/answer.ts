import { z } from '@hono/zod-openapi';

/** What an operation answers when all is well, as its handler gives it and as the document says it. */
export type Answer<Status extends number, Content> = {
  status: Status;
  response: { description: string } & Content;
};

type Content<Type extends string, Schema extends z.ZodType> = {
  content: { [Each in Type]: { schema: Schema } };
};

/** JSON; the handler gives its value. */
export function json<Status extends 200 | 201 | 202, Schema extends z.ZodType>(
  status: Status,
  description: string,
  schema: Schema,
): Answer<Status, Content<'application/json', Schema>> {
  return { status, response: { description, content: { 'application/json': { schema } } } };
}

/** Plain text; the handler gives it. */
export function text(description: string): Answer<200, Content<'text/plain', z.ZodString>> {
  return {
    status: 200,
    response: { description, content: { 'text/plain': { schema: z.string() } } },
  };
}

/** Any other type; the handler gives the whole response. */
export function raw<Type extends string>(
  type: Type,
  description: string,
  schema: z.ZodType = z.string(),
): Answer<200, Content<Type, z.ZodType>> {
  const content = { [type]: { schema } } as Content<Type, z.ZodType>['content'];
  return { status: 200, response: { description, content } };
}

/** No body. */
export function nothing(description: string): Answer<204, unknown> {
  return { status: 204, response: { description } };
}

/** What a handler gives for an answer. */
export type ResultOf<Given> =
  Given extends Answer<number, Content<string, infer Schema>>
    ? z.output<Schema> | Response
    : void | Response;
