import { existsSync, readFileSync } from 'node:fs';
import { buildSchema, type GraphQLSchema } from 'graphql';
import type { SystemPart } from '../system-part.ts';
import { SMALL_SCHEMA } from './small-schema.ts';

/** Whether Linear's published schema is at hand (`LINEAR_SCHEMA`: path of its schema.graphql). */
export function linearSchemaPart(): SystemPart {
  const path = process.env.LINEAR_SCHEMA ?? '';
  if (path === '') return { available: false, reason: 'LINEAR_SCHEMA is not set' };
  if (!existsSync(path)) return { available: false, reason: `there is no file ${path}` };
  return { available: true, detail: path };
}

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
