import { describe, expect, it } from 'vitest';
import { isSame, readDraft, textOf } from './draft.ts';
import type { Setting, SettingKind } from './sections-of.ts';

const setting = (kind: SettingKind, { whole = false } = {}): Setting => ({
  path: 'a.b',
  kind,
  description: '',
  options: [],
  nullable: false,
  whole,
  restart: null,
});

describe('a draft of a setting', () => {
  it.each([
    ['number', '60 000', 60_000],
    ['switch', 'true', true],
    ['lines', ' one \n\n two', ['one', 'two']],
    ['json', '{"a":[1]}', { a: [1] }],
    ['text', '$SECRET:KEY', '$SECRET:KEY'],
  ] as const)('of kind %s is read', (kind, text, value) => {
    expect(readDraft(setting(kind), text)).toEqual({ kind: 'value', text, value });
  });

  it.each([
    ['number', ''],
    ['number', 'many'],
    ['json', '{'],
  ] as const)('of kind %s refuses %j', (kind, text) => {
    expect(readDraft(setting(kind), text)).toMatchObject({ kind: 'wrong', text });
  });

  it('takes whole numbers only where only they count', () => {
    expect(readDraft(setting('number', { whole: true }), '1.5').kind).toBe('wrong');
    expect(readDraft(setting('number'), '1.5')).toMatchObject({ value: 1.5 });
  });

  it('is as it was shown', () => {
    for (const [kind, value] of [
      ['lines', ['a', 'b']],
      ['json', [{ a: 1 }]],
      ['number', 4],
    ] as const) {
      const shown = textOf(setting(kind), value);
      expect(isSame(readDraft(setting(kind), shown), value)).toBe(true);
    }
    expect(textOf(setting('text'), undefined)).toBe('');
    expect(isSame(readDraft(setting('text'), ''), undefined)).toBe(true);
  });
});
