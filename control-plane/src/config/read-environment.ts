import { z } from 'zod';
import { canonicalEntries, canonicalPath, schemaAt } from './values/canonical-entries.ts';
import type { ConfigEntry } from './values/canonical-entries.ts';
import type { ConfigProblem } from './config-store.ts';
import { type JsonObject, structureProblem } from './values/json-object.ts';
import { mergeConfig, nestEntries } from './overlay/merge-config.ts';
import { innerSchema } from './schema/inner-schema.ts';
import { parseJson } from '@switchyard/shared/text/parse-json';

const PREFIX = 'SERVICE_CONFIG__';
const MAX_VALUE_CHARACTERS = 100_000;

export type EnvironmentLayer = { layer: JsonObject; problems: ConfigProblem[] };

/**
 * Reads settings such as `SERVICE_CONFIG__agent__maxConcurrentAgents=4` from environment variables.
 * Values are converted to the type of their key; objects and lists are JSON. Unknown or invalid
 * ones are skipped and reported without their value.
 */
export function readEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
): EnvironmentLayer {
  const entries: ConfigEntry[] = [];
  const problems: ConfigProblem[] = [];
  for (const name of Object.keys(variables).sort()) {
    const text = variables[name];
    if (!name.startsWith(PREFIX) || text === undefined) continue;
    const problem = addVariable(entries, name, text);
    if (problem !== null) problems.push(problem);
  }
  return { layer: nestEntries(entries), problems };
}

function addVariable(entries: ConfigEntry[], name: string, text: string): ConfigProblem | null {
  const given = name.slice(PREFIX.length).split('__').join('.');
  const path = canonicalPath(given);
  if (path === null) return problem('unknown_key', `${name} names no configuration key`, 'warning');
  const wanted = schemaAt(path) ?? null;
  // Empty text for an enum stands for the default.
  if (text === '' && wanted !== null && innerSchema(wanted) instanceof z.ZodEnum) return null;
  if (text.length > MAX_VALUE_CHARACTERS) return problem('invalid_value', `${name} is too long`);
  const value = typedValue(wanted, text);
  if (value === undefined) return problem('invalid_value', `${name} is not valid JSON`);
  const structure = structureProblem(value);
  if (structure !== null) return problem('invalid_value', `${name} ${structure}`);
  const added = canonicalEntries({ [given]: value });
  const checked = mergeConfig([nestEntries([...entries, ...added.entries])], { partial: true });
  if (checked.ok && added.unknownKeys.length === 0) {
    entries.push(...added.entries);
    return null;
  }
  const why = checked.ok ? 'unknown key' : (checked.errors[0]?.message ?? 'invalid value');
  return problem('invalid_value', `${name}: ${why}`);
}

/** Converts text to the schema's type; undefined when that is impossible. */
function typedValue(schema: z.core.$ZodType | null, text: string): unknown {
  const inner = schema === null ? null : innerSchema(schema);
  if (inner instanceof z.ZodString || inner instanceof z.ZodURL) return text;
  if (inner instanceof z.ZodEnum || inner instanceof z.ZodLiteral) return text;
  if (inner instanceof z.ZodNumber) return /^\s*$/.test(text) ? text : asNumber(text);
  if (inner instanceof z.ZodBoolean) return asBoolean(text);
  const parsed = parseJson(text);
  // Where the schema allows any value, text that is no JSON is kept as text.
  return parsed === undefined && (inner === null || inner instanceof z.ZodUnknown) ? text : parsed;
}

function asNumber(text: string): unknown {
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}

function asBoolean(text: string): unknown {
  const word = text.trim().toLowerCase();
  if (['true', '1', 'yes', 'on'].includes(word)) return true;
  return ['false', '0', 'no', 'off'].includes(word) ? false : text;
}

function problem(
  code: string,
  message: string,
  severity: ConfigProblem['severity'] = 'error',
): ConfigProblem {
  return { source: 'environment', code, message, severity, blocksDispatch: false };
}
