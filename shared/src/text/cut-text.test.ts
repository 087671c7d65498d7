import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutText, textTail } from './cut-text.ts';

/** What a reader takes for one character, none of them longer than what is looked at. */
const WHOLE = [
  'a',
  ' ',
  '\r\n',
  'ä',
  '漢',
  '한',
  '😀',
  '􏿿',
  '🇨🇭',
  'é',
  'ọ̈',
  '☎️',
  '👍🏽',
  '👨‍👩‍👧‍👦',
  '👩🏽‍❤️‍💋‍👨🏿',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  'क्षि',
];
const PARTS = [...WHOLE, '\ud83d', '\ude00', '\u200d', `z${'\u0301'.repeat(50)}`];
const anyMark = constantFrom('', '…', ' […]');
const anyText = array(constantFrom(...PARTS), { maxLength: 12 }).map((all) => all.join(''));
const wholeText = array(constantFrom(...WHOLE), { maxLength: 8 }).map((all) => all.join(''));

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const charactersOf = (text: string) => [...segmenter.segment(text)].map(({ segment }) => segment);

/** The most characters, from the first on, that fit. */
function fitting(characters: readonly string[], maxChars: number): string[] {
  let chars = 0;
  const end = characters.findIndex((one) => (chars += one.length) > maxChars);
  return end === -1 ? [...characters] : characters.slice(0, end);
}

describe('a cut text', () => {
  it('keeps its limit, is well-formed and is the beginning or the end', () => {
    assert(
      property(anyText, anyMark, (text, mark) => {
        const mended = text.toWellFormed();
        for (let maxChars = 0; maxChars <= text.length + 1; maxChars += 1) {
          const head = cutText(text, maxChars, mark);
          const tail = textTail(text, maxChars, mark);
          expect(Math.max(head.length, tail.length)).toBeLessThanOrEqual(maxChars);
          expect(Buffer.from(head + tail).toString()).toBe(head + tail);
          const shown = text.length > maxChars && mark.length <= maxChars ? mark : '';
          expect(head.endsWith(shown) && tail.startsWith(shown)).toBe(true);
          expect(mended.startsWith(head.slice(0, head.length - shown.length))).toBe(true);
          expect(mended.endsWith(tail.slice(shown.length))).toBe(true);
        }
      }),
    );
  });

  it('loses no more than the characters at its edge', () => {
    assert(
      property(wholeText, (text) => {
        const characters = charactersOf(text);
        const last = characters.at(-1)?.length ?? 0;
        for (let maxChars = characters[0]?.length ?? 0; maxChars <= text.length; maxChars += 1)
          expect(cutText(text, maxChars)).toBe(fitting(characters, maxChars).join(''));
        for (let maxChars = last; maxChars <= text.length; maxChars += 1)
          expect(textTail(text, maxChars)).toBe(
            fitting(characters.toReversed(), maxChars).toReversed().join(''),
          );
      }),
    );
  });

  it('keeps a part of a character that is longer than the room, but never half a pair', () => {
    expect(cutText('👨‍👩‍👧‍👦', 4)).toBe('👨\u200d');
    expect(cutText('👨‍👩‍👧‍👦', 1)).toBe('');
    expect(textTail('👨‍👩‍👧‍👦', 4)).toBe('\u200d👦');
    expect(cutText(`z${'\u0301'.repeat(500)}`, 100)).toHaveLength(100);
  });

  it('has room for the mark, or none', () => {
    expect(cutText('abcdef', 4, '…')).toBe('abc…');
    expect(textTail('abcdef', 4, '…')).toBe('…def');
    expect(cutText('abcdef', 6, '…')).toBe('abcdef');
    expect(cutText('abcdef', 1, ' …')).toBe('a');
  });
});
