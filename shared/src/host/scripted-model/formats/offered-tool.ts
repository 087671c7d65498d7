import * as z from 'zod';
import type { OfferedTool } from './wire-format.ts';

const Schema = z.looseObject({
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
});

/** A tool with the names of its arguments, from its JSON schema. */
export function offeredTool(name: string, schema: unknown): OfferedTool {
  const parsed = Schema.safeParse(schema);
  const { properties = {}, required = [] } = parsed.success ? parsed.data : {};
  return { name, properties: Object.keys(properties), required };
}
