import * as fc from 'fast-check';
import { z } from 'zod';

const Schema = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  allOf: z.array(z.unknown()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  items: z.unknown().optional(),
});
const MAX_DEPTH = 6;
const MAX_ITEMS = 4;

/** Values that a JSON schema describes, by its shape; formats and patterns are left to chance. */
export function valueArbitrary(
  document: unknown,
  schema: unknown,
  depth = 0,
): fc.Arbitrary<unknown> {
  const parsed = Schema.safeParse(schema);
  if (!parsed.success || depth > MAX_DEPTH) return fc.jsonValue({ maxDepth: 1 });
  const { $ref, type, properties, items, required = [] } = parsed.data;
  const inner = (part: unknown) => valueArbitrary(document, part, depth + 1);
  if ($ref !== undefined) return inner(resolve(document, $ref));
  if (parsed.data.enum !== undefined) return fc.constantFrom(...parsed.data.enum);
  if (parsed.data.const !== undefined) return fc.constant(parsed.data.const);
  const choices = parsed.data.anyOf ?? parsed.data.oneOf ?? parsed.data.allOf;
  if (choices !== undefined) return fc.oneof(...choices.map(inner));
  if (Array.isArray(type))
    return fc.oneof(...type.map((one) => inner({ ...parsed.data, type: one })));
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(([name, part]) => [name, inner(part)] as const);
    return fc.record(Object.fromEntries(fields), { requiredKeys: required });
  }
  if (type === 'array') return fc.array(inner(items), { maxLength: MAX_ITEMS });
  return plain(type);
}

function plain(type: string | undefined): fc.Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return fc.string({ maxLength: 60, unit: 'grapheme' });
    case 'integer':
      return fc.oneof(fc.integer(), fc.nat({ max: 600 }));
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function resolve(document: unknown, ref: string): unknown {
  let value = document;
  for (const part of ref.replace(/^#\//, '').split('/')) {
    value = (value as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return value;
}
