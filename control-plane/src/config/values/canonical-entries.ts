import type { z } from 'zod';
import { ConfigSchema } from '../schema/config-schema.ts';
import { type JsonObject, isJsonObject, isRefusedName } from './json-object.ts';
import { holdsKeys, isRecord, itemSchema, stepInto } from '../schema/inner-schema.ts';
import type { SchemaStep } from '../schema/inner-schema.ts';

/** One value of a layer, with its place as given and the canonical path that it sets. */
export type ConfigEntry = {
  /** Object keys from the root as given; a key may contain dots. */
  stored: string[];
  canonical: string[];
  value: unknown;
};

export type CanonicalLayer = {
  entries: ConfigEntry[];
  /** Paths, as given, that the schema does not have. */
  unknownKeys: string[];
};

type Alias = { from: string; to: string; convert?: (value: unknown) => unknown };

/** Aliases of keys: older spellings, and those of WORKFLOW.md, that differ by more than case. */
const ALIASES: readonly Alias[] = [
  { from: 'polling_interval_seconds', to: 'polling.intervalMs', convert: secondsToMs },
  { from: 'pollingIntervalSeconds', to: 'polling.intervalMs', convert: secondsToMs },
  { from: 'max_concurrent', to: 'agent.maxConcurrentAgents' },
  { from: 'maxConcurrent', to: 'agent.maxConcurrentAgents' },
  { from: 'codex.turn_timeout_ms', to: 'engine.stallTimeoutMs' },
  { from: 'codex.read_timeout_ms', to: 'engine.requestTimeoutMs' },
  { from: 'codex.stall_timeout_ms', to: 'agent.stallTimeoutMs' },
];

/** Flattens a layer, nested or dotted and in any accepted spelling, into canonical entries. */
export function canonicalEntries(layer: JsonObject): CanonicalLayer {
  const result: CanonicalLayer = { entries: [], unknownKeys: [] };
  collect(layer, [], result);
  return result;
}

/** The canonical form of a path in any accepted spelling; null when there is no such path. */
export function canonicalPath(path: string): string[] | null {
  return resolve([path])?.canonical ?? null;
}

/**
 * The schema at a canonical path; null where any value is allowed, undefined when there is no such
 * path.
 */
export function schemaAt(path: readonly string[]): z.core.$ZodType | null | undefined {
  let schema: z.core.$ZodType | null = ConfigSchema;
  for (const key of path) {
    const step = stepInto(schema, key);
    if (step === null) return undefined;
    schema = step.schema;
  }
  return schema;
}

function collect(node: JsonObject, parents: readonly string[], result: CanonicalLayer): void {
  for (const [key, value] of Object.entries(node)) {
    const stored = [...parents, key];
    const target = resolve(stored);
    if (target === null) {
      result.unknownKeys.push(stored.join('.'));
    } else if (isJsonObject(value) && holdsKeys(target.schema) && Object.keys(value).length > 0) {
      collect(value, stored, result);
    } else {
      const converted = target.convert === undefined ? value : target.convert(value);
      const canonical = canonicalValue(converted, target.schema);
      result.entries.push({ stored, canonical: target.canonical, value: canonical });
    }
  }
}

type Target = {
  canonical: string[];
  schema: z.core.$ZodType | null;
  convert: Alias['convert'];
};

/** Resolves stored keys, each possibly dotted, by the schema. */
function resolve(stored: readonly string[]): Target | null {
  const alias = ALIASES.find((candidate) => candidate.from === stored.join('.'));
  if (alias !== undefined) {
    const canonical = alias.to.split('.');
    return { canonical, schema: schemaAt(canonical) ?? null, convert: alias.convert };
  }
  let schema: z.core.$ZodType | null = ConfigSchema;
  const canonical: string[] = [];
  for (const [index, key] of stored.entries()) {
    const parts = key.split('.');
    if (index === 0 && parts[0] === 'codex') parts[0] = 'engine';
    while (parts.length > 0) {
      // Below a record the rest of a key is one name, since state and model names may contain dots.
      const name: string = isRecord(schema) ? parts.splice(0).join('.') : (parts.shift() ?? '');
      const step: SchemaStep | null =
        name === '' || isRefusedName(name) ? null : stepInto(schema, name);
      if (step === null) return null;
      canonical.push(step.key);
      schema = step.schema;
    }
  }
  return { canonical, schema, convert: undefined };
}

/** Makes the keys inside lists of objects canonical; unknown keys stay as they are. */
function canonicalValue(value: unknown, schema: z.core.$ZodType | null): unknown {
  const item = itemSchema(schema);
  if (!Array.isArray(value) || item === null) return value;
  return value.map((element: unknown) => {
    if (!isJsonObject(element)) return element;
    const pairs = Object.entries(element).map(([key, inner]) => {
      const step = stepInto(item, key);
      return [step?.key ?? key, canonicalValue(inner, step?.schema ?? null)] as const;
    });
    return Object.fromEntries(pairs);
  });
}

function secondsToMs(value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 1_000) : value;
}
