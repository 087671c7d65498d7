import { readDraft as readKept, watchDraft, writeDraft } from '../../ui/forms/drafts.ts';
import { type Draft, isSame, readDraft } from './draft.ts';
import type { Section } from './sections-of.ts';
import { valueAt } from './value-at.ts';

const NAME = 'config';
/** Long texts that hold no keys. Other settings may, and what is typed for them is not written down. */
const KEPT: ReadonlySet<string> = new Set(['automations', 'alerts.rules', 'prompt']);

/** Drafts of automations, alert rules and the prompt, as they were left. */
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

/** Keeps one, or forgets it for null. Those of other settings stay: another tab may write them. */
export function keepDraft(path: string, draft: Draft | null): void {
  if (!KEPT.has(path)) return;
  const { [path]: _before, ...others } = readKept(NAME);
  const isText = draft !== null && draft.kind !== 'reset';
  writeDraft(NAME, isText ? { ...others, [path]: draft.text } : others);
}

/** Calls back when another tab has changed one; returns what ends that. */
export const watchKeptDrafts = (onChange: () => void) => watchDraft(NAME, onChange);

/** Drafts with those that are kept as they are now; what is not kept stays as it is. */
export function withKeptDrafts(
  drafts: ReadonlyMap<string, Draft>,
  kept: ReadonlyMap<string, Draft>,
): ReadonlyMap<string, Draft> {
  const own = [...drafts].filter(([path, draft]) => !KEPT.has(path) || draft.kind === 'reset');
  return new Map([...own, ...kept]);
}
