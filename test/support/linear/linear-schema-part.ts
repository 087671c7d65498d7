import { existsSync } from 'node:fs';
import type { SystemPart } from '../system-part.ts';

/** Whether Linear's published schema is at hand (`LINEAR_SCHEMA`: path of its schema.graphql). */
export function linearSchemaPart(): SystemPart {
  const path = process.env.LINEAR_SCHEMA ?? '';
  if (path === '') return { available: false, reason: 'LINEAR_SCHEMA is not set' };
  if (!existsSync(path)) return { available: false, reason: `there is no file ${path}` };
  return { available: true, detail: path };
}
