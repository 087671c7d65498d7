import { z } from 'zod';

/** One step along a path: the canonical key and the schema below it (null: any value). */
export type SchemaStep = { key: string; schema: z.core.$ZodType | null };

/** Removes wrappers such as optional and default, down to the schema of the value itself. */
export function innerSchema(schema: z.core.$ZodType): z.core.$ZodType {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return innerSchema(schema._zod.def.innerType);
  }
  if (schema instanceof z.ZodPipe) return innerSchema(schema._zod.def.in);
  return schema;
}

/**
 * Whether keys below a schema are separate paths: true for objects and records, false for lists.
 */
export function holdsKeys(schema: z.core.$ZodType | null): boolean {
  if (schema === null) return true;
  const inner = innerSchema(schema);
  return inner instanceof z.ZodObject || inner instanceof z.ZodRecord;
}

/** Whether the keys below are data, such as state names, which keep their spelling. */
export function isRecord(schema: z.core.$ZodType | null): boolean {
  return schema !== null && innerSchema(schema) instanceof z.ZodRecord;
}

/** The schema of a list's items; null for any other schema. */
export function itemSchema(schema: z.core.$ZodType | null): z.core.$ZodType | null {
  if (schema === null) return null;
  const inner = innerSchema(schema);
  return inner instanceof z.ZodArray ? inner._zod.def.element : null;
}

/** Descends by a key in either spelling; null when the schema has no such key. */
export function stepInto(schema: z.core.$ZodType | null, key: string): SchemaStep | null {
  if (schema === null) return { key, schema: null };
  const inner = innerSchema(schema);
  if (inner instanceof z.ZodRecord) return { key, schema: inner._zod.def.valueType };
  if (!(inner instanceof z.ZodObject)) return null;
  const shape = inner._zod.def.shape;
  for (const spelling of [key, camelCase(key), snakeCase(key)]) {
    const child = Object.hasOwn(shape, spelling) ? shape[spelling] : undefined;
    if (child !== undefined) return { key: spelling, schema: child };
  }
  const takesOthers = inner._zod.def.catchall instanceof z.ZodUnknown;
  return takesOthers ? { key: camelCase(key), schema: null } : null;
}

function camelCase(key: string): string {
  return key.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
