import { describe, expect, it } from 'vitest';
import { plainLine, plainText } from './plain-text.ts';

describe('plainText', () => {
  it.each([
    ['colours', '\u001b[31mred\u001b[0m', 'red'],
    ['an 8-bit control sequence', '\u009b31mred', 'red'],
    ['a title of the window', 'a\u001b]0;owned\u0007b', 'ab'],
    ['a link', '\u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\', 'text'],
    ['NUL in the middle', 'before\u0000after', 'beforeafter'],
    ['backspaces and bells', 'a\b\u0007b', 'ab'],
    ['marks of direction', 'safe\u202etxt.exe\u2066x\u2069\u200f', 'safetxt.exex'],
    ['other line breaks', 'a\r\nb\rc\u2028d\u0085e', 'a\nb\nc\nd\ne'],
  ])('takes out %s', (_name, text, plain) => expect(plainText(text)).toBe(plain));

  it('cuts nothing off that follows an incomplete escape', () => {
    const text = `\u001b]0;no end\n${'words '.repeat(3_000)}`;
    expect(plainText(text)).toBe(text.slice(1));
    expect(plainText('a\u001b[31')).toBe('a[31');
    expect(plainText('\u001bHello')).toBe('Hello');
  });

  it('leaves what people write: tabs, emoji with joiners, other scripts', () => {
    const text = '\tnaïve 👩‍👩‍👧 שלום می‌خواهم\n';
    expect(plainText(text)).toBe(text);
    expect(plainText('half \ud800')).toBe('half \ufffd');
  });

  it('can be had on one line', () => expect(plainLine(' a\n\u0000 b\tc ')).toBe('a b c'));
});
