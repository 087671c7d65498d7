import { type ConfigEntry, canonicalEntries } from '../values/canonical-entries.ts';
import type { ConfigEvaluation } from '../config-store.ts';
import { type JsonObject, structureProblem } from '../values/json-object.ts';
import { mergeConfig, nestEntries } from './merge-config.ts';
import { findPlaceholder } from '../values/redact-config.ts';

/** Applies an overlay to the layers below it: the resulting configuration, or all problems. */
export function evaluateOverlay(
  below: readonly JsonObject[],
  overlay: JsonObject,
): ConfigEvaluation {
  const structure = structureProblem(overlay);
  if (structure !== null) return refused('', `the overlay ${structure}`);
  const placeholder = findPlaceholder(overlay);
  if (placeholder !== null) return refused(placeholder, 'stands for a secret that is not stored');
  const { entries, unknownKeys } = canonicalEntries(overlay);
  if (unknownKeys.length > 0) {
    const errors = unknownKeys.map((path) => ({ path, message: 'unknown key' }));
    return { ok: false, unknownKeys, errors };
  }
  const twice = findTwice(entries);
  if (twice !== null) return refused(twice, 'is given twice, in two spellings');
  const merged = mergeConfig([...below, nestEntries(entries)]);
  return merged.ok ? merged : { ok: false, unknownKeys: [], errors: merged.errors };
}

/** The first path that is set twice, directly or through a parent; null when there is none. */
function findTwice(entries: readonly ConfigEntry[]): string | null {
  const seen = new Set<string>();
  for (const { canonical, stored } of entries) {
    const path = JSON.stringify(canonical);
    if (seen.has(path)) return stored.join('.');
    seen.add(path);
  }
  const under = entries.find(({ canonical }) =>
    canonical.some((_, depth) => depth > 0 && seen.has(JSON.stringify(canonical.slice(0, depth)))),
  );
  return under === undefined ? null : under.stored.join('.');
}

function refused(path: string, message: string): ConfigEvaluation {
  return { ok: false, unknownKeys: [], errors: [{ path, message }] };
}
