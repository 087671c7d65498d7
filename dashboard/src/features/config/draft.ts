import type { Setting } from './sections-of.ts';

/** What a person has put in and not saved: as typed, and what it means. */
export type Draft =
  | { kind: 'value'; text: string; value: unknown }
  | { kind: 'wrong'; text: string; problem: string }
  /** Back to what the base file and the environment say. */
  | { kind: 'reset' };

/** A value as it stands in the control for its kind. */
export function textOf(setting: Setting, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (setting.kind === 'lines' && Array.isArray(value)) return value.map(String).join('\n');
  return typeof value === 'string' && setting.kind !== 'json'
    ? value
    : JSON.stringify(value, null, 2);
}

/** What a text in the control of a setting means. */
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

/** Whether the draft would change anything. */
export function isSame(draft: Draft, current: unknown): boolean {
  return draft.kind === 'value' && JSON.stringify(draft.value) === JSON.stringify(current ?? '');
}
