import { canonicalEntries } from './canonical-keys.ts';
import type { ConfigEntry } from './canonical-keys.ts';
import type { ConfigEvaluation } from './config-store.ts';
import { structureProblem } from './dotted-paths.ts';
import type { JsonObject } from './dotted-paths.ts';
import { isWithin } from './edit-overlay.ts';
import { mergeConfig, nestEntries } from './merge-config.ts';
import { findPlaceholder } from './redact-config.ts';

/** What the configuration becomes with an overlay on the layers below it, or everything against it. */
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

function findTwice(entries: readonly ConfigEntry[]): string | null {
  for (const [index, entry] of entries.entries()) {
    const other = entries.slice(0, index).find(({ canonical }) => {
      return isWithin(canonical, entry.canonical) || isWithin(entry.canonical, canonical);
    });
    if (other !== undefined) return entry.stored.join('.');
  }
  return null;
}

function refused(path: string, message: string): ConfigEvaluation {
  return { ok: false, unknownKeys: [], errors: [{ path, message }] };
}
