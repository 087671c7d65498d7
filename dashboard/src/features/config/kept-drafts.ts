import { readDraft as readKept, watchDraft, writeDraft } from '../../ui/forms/drafts.ts';
import { type Draft, isSame, readDraft } from './draft.ts';
import type { Section } from './sections-of.ts';
import { valueAt } from './value-at.ts';

const NAME = 'config';
/**
 * Settings whose drafts are stored: long texts without keys. Other settings may contain keys, so
 * their drafts are not stored.
 */
const KEPT: ReadonlySet<string> = new Set(['automations', 'alerts.rules', 'prompt']);

/** The stored drafts of automations, alert rules and the prompt. */
export function keptDrafts(
  sections: readonly Section[],
  config: Record<string, unknown>,
): ReadonlyMap<string, Draft> {
  const kept = readKept(NAME);
  const settings = sections.flatMap((section) => section.settings);
  return new Map(
    settings.flatMap((setting) => {
      const text = KEPT.has(setting.path) ? kept[setting.path] : undefined;
      if (text === undefined) return [];
      const draft = readDraft(setting, text);
      return isSame(draft, valueAt(config, setting.path)) ? [] : [[setting.path, draft] as const];
    }),
  );
}

/**
 * Stores one draft, or deletes it for null. Those of other settings are not changed, since another
 * tab may write them.
 */
export function keepDraft(path: string, draft: Draft | null): void {
  if (!KEPT.has(path)) return;
  const { [path]: _before, ...others } = readKept(NAME);
  const isText = draft !== null && draft.kind !== 'reset';
  writeDraft(NAME, isText ? { ...others, [path]: draft.text } : others);
}

/** Subscribes to changes of drafts by other tabs; returns the function that unsubscribes. */
export const watchKeptDrafts = (onChange: () => void) => watchDraft(NAME, onChange);

/**
 * The drafts with the stored ones replaced by their current state; drafts that are never stored
 * stay.
 */
export function withKeptDrafts(
  drafts: ReadonlyMap<string, Draft>,
  kept: ReadonlyMap<string, Draft>,
): ReadonlyMap<string, Draft> {
  const own = [...drafts].filter(([path, draft]) => !KEPT.has(path) || draft.kind === 'reset');
  return new Map([...own, ...kept]);
}
