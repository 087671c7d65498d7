import type { Setting } from './sections-of.ts';

/**
 * An unsaved change of a setting: the typed text with the value or the problem that was read from
 * it, or a reset.
 */
export type Draft =
  | { kind: 'value'; text: string; value: unknown }
  | { kind: 'wrong'; text: string; problem: string }
  /** Resets the setting to the base file and the environment. */
  | { kind: 'reset' };

/** A value as the text of the control for its setting. */
export function textOf(setting: Setting, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (setting.kind === 'lines' && Array.isArray(value)) return value.map(String).join('\n');
  return typeof value === 'string' && setting.kind !== 'json'
    ? value
    : JSON.stringify(value, null, 2);
}

/** The draft that a text in a setting's control means. */
export function readDraft(setting: Setting, text: string): Draft {
  const value = (given: unknown): Draft => ({ kind: 'value', text, value: given });
  const wrong = (problem: string): Draft => ({ kind: 'wrong', text, problem });
  switch (setting.kind) {
    case 'number': {
      const number = Number(text.replaceAll(/[\s_]/g, ''));
      if (text.trim() === '' || !Number.isFinite(number)) return wrong('must be a number');
      return setting.whole && !Number.isInteger(number)
        ? wrong('must be a whole number')
        : value(number);
    }
    case 'switch':
      return value(text === 'true');
    case 'lines':
      return value(
        text
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== ''),
      );
    case 'json':
      return readJson(text, value, wrong);
    default:
      return value(text);
  }
}

function readJson(
  text: string,
  value: (given: unknown) => Draft,
  wrong: (problem: string) => Draft,
): Draft {
  try {
    return value(JSON.parse(text));
  } catch (error) {
    return wrong(error instanceof Error ? error.message : 'must be valid JSON');
  }
}

/** Whether the draft would change nothing. */
export function isSame(draft: Draft, current: unknown): boolean {
  return draft.kind === 'value' && JSON.stringify(draft.value) === JSON.stringify(current ?? '');
}
