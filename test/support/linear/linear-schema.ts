import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { linearSchemaPart } from './linear-schema-part.ts';
import { SMALL_SCHEMA } from './small-schema.ts';

let built: GraphQLSchema | null = null;

/** Linear's own schema where it is at hand, else the part of it that the fake knows by itself. */
export function linearSchema(): GraphQLSchema {
  if (built !== null) return built;
  const part = linearSchemaPart();
  const text = part.available ? readFileSync(part.detail, 'utf8') : SMALL_SCHEMA;
  // The published schema is valid; checking all of it again takes longer than the tests.
  built = buildSchema(text, { assumeValid: true, noLocation: true });
  return built;
}
