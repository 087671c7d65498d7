import type { z } from 'zod';
import type { ErrorDetail } from '../../errors.ts';
import { ConfigSchema, type EffectiveConfig, completeConfig } from '../schema/config-schema.ts';
import { engineProblems } from '../sections/routing/engine-problems.ts';
import { type JsonObject, isJsonObject, isRefusedName, setAtPath } from '../values/json-object.ts';
import type { ConfigEntry } from '../values/canonical-entries.ts';
import { malformedReference } from '../values/secret-references.ts';

export type MergeResult =
  | { ok: true; config: EffectiveConfig }
  | { ok: false; errors: ErrorDetail[] };

/**
 * Merges canonical layers, the strongest last: objects by key, lists and values as a whole. Pure;
 * errors name canonical paths. `partial`: references may be resolved by another layer.
 */
export function mergeConfig(
  layers: readonly JsonObject[],
  { partial = false }: { partial?: boolean } = {},
): MergeResult {
  const merged: JsonObject = {};
  for (const layer of layers) mergeInto(merged, layer);
  promoteChat(merged);
  const malformed = malformedReference(merged);
  if (malformed !== null) {
    const message = 'must be $SECRET:NAME, the name of letters, digits and _ . - only';
    return { ok: false, errors: [{ path: malformed, message }] };
  }
  const parsed = ConfigSchema.safeParse(merged);
  if (!parsed.success) return { ok: false, errors: parsed.error.issues.map(issueDetail) };
  const errors = partial ? [] : engineProblems(parsed.data.engine, parsed.data.repos);
  return errors.length > 0
    ? { ok: false, errors }
    : { ok: true, config: completeConfig(parsed.data) };
}

/**
 * Builds a nested canonical object from entries; a later entry overrides one with the same path.
 */
export function nestEntries(entries: readonly ConfigEntry[]): JsonObject {
  const nested: JsonObject = {};
  for (const entry of entries) setAtPath(nested, entry.canonical, structuredClone(entry.value));
  return nested;
}

function mergeInto(target: JsonObject, layer: JsonObject): void {
  for (const [key, value] of Object.entries(layer)) {
    if (isRefusedName(key)) continue;
    const present = Object.hasOwn(target, key) ? target[key] : undefined;
    if (isJsonObject(value) && isJsonObject(present)) {
      mergeInto(present, value);
    } else {
      target[key] = structuredClone(value);
    }
  }
}

/** Converts `notifications.slack.webhookUrl`, the older form of one chat channel. */
function promoteChat(config: JsonObject): void {
  const notifications = config['notifications'];
  if (!isJsonObject(notifications) || !isJsonObject(notifications['slack'])) return;
  const { webhookUrl, name = 'slack', verbosity } = notifications['slack'];
  if (webhookUrl === undefined) return;
  const channel = {
    type: 'chat',
    name,
    webhookUrl,
    ...(verbosity === undefined ? {} : { verbosity }),
  };
  const channels = notifications['channels'] ?? [];
  if (!Array.isArray(channels)) return;
  delete notifications['slack'];
  const isNamed = channels.some((other) => isJsonObject(other) && other['name'] === name);
  notifications['channels'] = isNamed ? channels : [...channels, channel];
}

function issueDetail(issue: z.core.$ZodIssue): ErrorDetail {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return { path: [...path, ...issue.keys.slice(0, 1)].join('.'), message: 'unknown key' };
  }
  return { path: path.join('.'), message: issue.message };
}
