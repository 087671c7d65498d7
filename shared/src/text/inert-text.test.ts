import { describe, expect, it } from 'vitest';
import { inertReferences, inertText } from './inert-text.ts';

const BREAK = '\u200b';

describe('text that acts on nothing', () => {
  it.each([
    '@everyone',
    'cc @org/team',
    '(@ada)',
    '\n@ada',
    '*@ada*',
    '@types/node',
    'a.@ada',
    '-@ada',
    'é@ada',
  ])('tells nobody: %j', (text) => expect(inertText(text)).not.toMatch(/@[\w]/));

  it.each([
    'fixes #1',
    'Closes: #12',
    'RESOLVED other/repository#3',
    'fix GH-4',
    'close https://github.com/o/r/issues/5',
    'closes\t#6',
    'closes\n#6',
    'fixes : #7',
    'resolves issue #8',
    'Completes ENG-9',
    'fixing #10',
    'a(fixes #11)',
  ])('ends no issue: %j', (text) => {
    const inert = inertText(text);
    expect(inert).not.toBe(text);
    expect(inert).not.toMatch(/(clos|fix|resolv|complet)\w*(?=\s*:?\s*\S*(#|-|\/)\d?)/i);
    expect(inert.replaceAll(BREAK, '')).toBe(text);
  });

  it.each(['Fix the sum', 'mail to ada@example.org', 'a fixed width', '#1', 'see o/r#2', 'x @ y'])(
    'leaves alone what does nothing: %j',
    (text) => expect(inertText(text)).toBe(text),
  );

  it('takes a long text in one pass', () => {
    const texts = ['fix ', 'fix', 'fix:', '@', 'fix a/', 'closes\n', 'fix issue '].map((part) =>
      part.repeat(50_000),
    );
    for (const text of [...texts, `fix${' '.repeat(200_000)}x`, `fix ${'a'.repeat(200_000)}`]) {
      expect(inertText(text).length).toBeGreaterThanOrEqual(text.length);
    }
  });
});

describe('text that refers to nothing either', () => {
  it.each(['#1', 'see o/r#2', 'GH-3', 'SY-4', 'part of eng-5', 'https://a.example/o/r/issues/6'])(
    'reads as before: %j',
    (text) => {
      const inert = inertReferences(text);
      expect(inert).not.toBe(text);
      expect(inert.replaceAll(BREAK, '')).toBe(text);
      expect(inertReferences(inert)).toBe(inert);
    },
  );

  it.each([
    'Read it as UTF-8 (or UTF-16LE), not ISO-8859-1',
    'towards UTF-8, part of ISO-8601',
    'SHA-256, AES-128 and RSA-4096',
    'RFC-7231, CVE-2024-3094, CWE-79, IEEE-754',
    'at UTC-5 or GMT-3',
  ])('leaves names of standards as they are: %j', (text) =>
    expect(inertReferences(text)).toBe(text),
  );

  it.each(['UTF-81', 'UTF-9', 'SHA-2567', 'RFC-12', 'ISO-12', 'UTC-15', 'AUTF-8', 'P-256'])(
    'takes for no standard what is none: %j',
    (text) => expect(inertReferences(text)).not.toBe(text),
  );

  it('ends no issue that is called like a standard', () => {
    expect(inertReferences('fixes UTF-8')).toBe(`f${BREAK}ixes UTF-8`);
  });

  it('names no commit', () => {
    const id = '7bf48059a1b2c3d4e5f67bf48059a1b2c3d4e5f6';
    expect(inertReferences(id)).not.toMatch(/[0-9a-f]{7}/);
    expect(inertReferences(id).replaceAll(BREAK, '')).toBe(id);
  });

  it.each(['Fix the sum', 'step-1 of it', '# one', 'A-b', 'x @ y'])(
    'leaves alone what does nothing: %j',
    (text) => expect(inertReferences(text)).toBe(text),
  );
});

describe('text without commands', () => {
  it.each(['/merge', 'a\n  /lgtm please', '[skip ci]', '[ci skip]'])(
    'commands nobody: %j',
    (text) => {
      expect(inertText(text)).not.toBe(text);
      expect(inertText(text).replaceAll(BREAK, '')).toBe(text);
    },
  );

  it.each(['/usr/bin/node', 'a /merge', 'and/or', '[skip]'])('leaves alone: %j', (text) =>
    expect(inertText(text)).toBe(text),
  );
});
