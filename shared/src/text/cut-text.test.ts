import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutText, textTail } from './cut-text.ts';

const PARTS = [
  ...[
    'a',
    ' ',
    '\r\n',
    'ä',
    '漢',
    '한',
    '😀',
    '\u{10ffff}',
    '🇨🇭',
    'e\u0301',
    'o\u0308\u0323',
    '☎️',
  ],
  ...['👍🏽', '👨‍👩‍👧‍👦', '👩🏽‍❤️‍💋‍👨🏿', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'क्षि', '\ud83d', '\ude00', '\u200d', `z${'\u0301'.repeat(50)}`],
];
const anyText = fc.array(fc.constantFrom(...PARTS), { maxLength: 12 }).map((all) => all.join(''));
const anyMark = fc.constantFrom('', '…', ' […]');
/** What a reader takes for one character, none of them longer than what is looked at. */
const whole = fc.array(
  fc.constantFrom(
    ...PARTS.filter((part) => part.isWellFormed() && part.length < 16 && part !== '\u200d'),
  ),
  { maxLength: 8 },
);

describe('a cut text', () => {
  it('keeps its limit, is well-formed and is the beginning or the end', () => {
    fc.assert(
      fc.property(anyText, anyMark, (text, mark) => {
        for (let maxChars = 0; maxChars <= text.length + 1; maxChars += 1) {
          const head = cutText(text, maxChars, mark);
          const tail = textTail(text, maxChars, mark);
          for (const cut of [head, tail]) {
            expect(cut.length).toBeLessThanOrEqual(maxChars);
            expect(Buffer.from(cut).toString()).toBe(cut);
          }
          const mended = text.toWellFormed();
          const isCut = text.length > maxChars && mark.length <= maxChars;
          const kept = isCut ? mark.length : 0;
          expect(mended.startsWith(head.slice(0, head.length - kept))).toBe(true);
          expect(mended.endsWith(tail.slice(kept))).toBe(true);
          if (isCut) expect([head.endsWith(mark), tail.startsWith(mark)]).toEqual([true, true]);
        }
      }),
    );
  });

  it('loses no more than the characters at its edge', () => {
    fc.assert(
      fc.property(whole, (parts) => {
        const text = parts.join('');
        const characters = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
        for (let maxChars = 0; maxChars <= text.length; maxChars += 1) {
          const head = cutText(text, maxChars);
          const tail = textTail(text, maxChars);
          const [first = ''] = characters;
          if (first.length <= maxChars) {
            const fitting = characters.reduce(
              ({ kept, open }, next) =>
                open && kept.length + next.length <= maxChars
                  ? { kept: kept + next, open }
                  : { kept, open: false },
              { kept: '', open: true },
            ).kept;
            expect(head).toBe(fitting);
          }
          if ((characters.at(-1) ?? '').length <= maxChars) {
            const fitting = characters.reduceRight(
              ({ kept, open }, next) =>
                open && kept.length + next.length <= maxChars
                  ? { kept: next + kept, open }
                  : { kept, open: false },
              { kept: '', open: true },
            ).kept;
            expect(tail).toBe(fitting);
          }
        }
      }),
    );
  });

  it('keeps a part of a character that is longer than the room, but never half a pair', () => {
    expect(cutText('👨‍👩‍👧‍👦', 4)).toBe('👨‍');
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
