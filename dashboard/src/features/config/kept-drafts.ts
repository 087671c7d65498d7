import { forgetDraft, readDraft as readKept, writeDraft } from '../../ui/forms/drafts.ts';
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

export function keepDrafts(drafts: ReadonlyMap<string, Draft>): void {
  const texts = [...drafts].flatMap(([path, draft]) =>
    KEPT.has(path) && draft.kind !== 'reset' ? [[path, draft.text] as const] : [],
  );
  if (texts.length === 0) forgetDraft(NAME);
  else writeDraft(NAME, Object.fromEntries(texts));
}
