import { USUAL_TRACKER } from './integrations/tracker-facts.ts';
import { type JsonObject, isJsonObject } from './values/json-object.ts';

const PROVIDER_KEYS = new Set(['endpoint', 'api_key', 'project_slug']);

/**
 * Moves a tracker's settings from `tracker.provider` (or directly from `tracker`), where
 * WORKFLOW.md has them, under the tracker's name. Returns a copy.
 */
export function normalizeTrackerSection(config: JsonObject): JsonObject {
  const tracker = config['tracker'];
  if (!isJsonObject(tracker)) return config;
  const kind = typeof tracker['kind'] === 'string' ? tracker['kind'] : USUAL_TRACKER;
  const provider = isJsonObject(tracker['provider']) ? tracker['provider'] : {};
  const own = Object.entries(tracker);
  const moved = own.filter(([key]) => PROVIDER_KEYS.has(key));
  if (moved.length === 0 && !isJsonObject(tracker['provider'])) return config;
  const rest = own.filter(([key]) => !PROVIDER_KEYS.has(key) && key !== 'provider');
  const named = isJsonObject(tracker[kind]) ? tracker[kind] : {};
  const settings = { ...Object.fromEntries(moved), ...provider, ...named };
  return { ...config, tracker: { ...Object.fromEntries(rest), [kind]: settings } };
}
