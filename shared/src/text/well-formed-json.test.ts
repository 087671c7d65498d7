import { array, assert, constantFrom, property } from 'fast-check';
import { expect, it } from 'vitest';
import { toJson } from './well-formed-json.ts';

const PARTS = [
  'a',
  '"',
  '\\',
  '\\\\',
  '\\ud83d',
  'ud83d',
  '\\u',
  '\ud83d',
  '\ude00',
  '😀',
  '\n',
  'd8',
];
const anyText = array(constantFrom(...PARTS), { maxLength: 16 }).map((all) => all.join(''));

it('is the JSON of the same value with every text and name mended', () => {
  assert(
    property(anyText, anyText, anyText, (name, text, other) => {
      const json = toJson({ [name]: [text, { other }], n: 1 });
      expect(JSON.parse(json)).toEqual({
        [name.toWellFormed()]: [text.toWellFormed(), { other: other.toWellFormed() }],
        n: 1,
      });
      expect(json).not.toMatch(/(?<!\\)(?:\\\\)*\\ud/);
    }),
    { numRuns: 2_000 },
  );
});

it('leaves text alone that only looks like half a pair', () => {
  const source = { code: String.raw`"\ud83d"`, path: 'C:\\ud83d' };
  expect(toJson(source)).toBe(JSON.stringify(source));
});
