import type { z } from 'zod';

/** A JSON body in a route's definition: its description and its schema. */
export function jsonContent<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { 'application/json': { schema } } };
}
