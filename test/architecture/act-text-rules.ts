import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isProductFile, listFiles, type SourceTree } from './source-tree.ts';
import type { Violation } from './violation.ts';

/** Words that stand for an act which has another name; docs/dashboard.md has the table of names. */
const REFUSED: readonly (readonly [act: string, words: RegExp])[] = [
  ['Stop', /\b[Aa]bort(?:s|ed|ing)? (?:by|it|the|what|this|an?|SY-\d+)\b/],
  [
    'Stop',
    /\b(?:stop requested|[Ss]top agent|[Cc]ancell?ed by|[Ii]nterrupted by (?:you|a person))\b/,
  ],
  [
    'Stop',
    /\b(?:issue|attempt|run|agent)s? (?:is|was|were|has been|gets) (?:cancell?ed|aborted)\b/,
  ],
  ['Retry', /\bretry (?:requested|queued|asked)\b|\bagent restart|\bwoken by\b/i],
  [
    'Retry',
    /\b(?:issue|attempt|agent|work)\b[^.;:'"`\n]{0,30}\b(?:started|queued|tried) (?:again|anew|afresh)\b/i,
  ],
  ['Retry', /\bstarts? an issue (?:again|anew|afresh)\b|\b(?:waiting|write here) to try again\b/i],
  ['Retry', /\bfail(?:s|ed),? (?:and is tried again|trying again)\b|\bNext try\b/],
  [
    'Deliver',
    /\b[Pp]ublish(?:es|ed)? (?:as (?:a )?)?(?:draft|the unfinished|unfinished|before the agent)\b/,
  ],
  ['Deliver', /\b(?:work|result)s? (?:is|was|are) (?:handed over|published)\b/],
  ['Ask', /\bneeds? (?:your|an) (?:input|answer)\b|\b[Ii]nput (?:is )?requested\b/],
  ['Pause', /\b(?:work|service|everything) (?:is|was) (?:on hold|held|suspended|halted)\b/],
];
/** A label alone. `'abort'` in code is an event's name, `Canceled` a state of trackers. */
const LABELS =
  /(?:['"`]|>\s*)(?:Abort|Aborted|Aborting|Cancelled|Rerun|Re-run|Suspend)(?:['"`]|\s*<)/;
/** In pages for readers the words stand for nothing else than the acts. */
const IN_PAGES: readonly (readonly [act: string, words: RegExp])[] = [
  ['Stop', /\babort(?:s|ed|ing)?\b/i],
  [
    'Stop',
    /\b(?:attempt|issue|run|turn)s?\b[^.;|\n]{0,40}\bcancell?ed\b|\bcancell?ed (?:attempt|turn|run)/i,
  ],
  ['Deliver', /\bpublish(?:es|ed)?\b[^.|\n]{0,30}\b(?:draft|unfinished)/i],
];
/** Git's own commands, an old spelling that is read, and the settings that name states of trackers. */
const maySay: readonly (readonly [path: string, why: string])[] = [
  ['shared/src/reasons/act-of-person.ts', 'reads what former versions wrote'],
  ['control-plane/src/config/sections/intake/tracker.ts', 'names of states'],
];

/** Finds words for people that call an act by a second name. */
export function checkActTexts(tree: SourceTree): Violation[] {
  const ofSources = tree.files
    .filter(({ path }) => isProductFile(path))
    .filter(({ path }) => !maySay.some(([known]) => known === path))
    .flatMap(({ path, text }) =>
      found(path, withoutComments(text), [...REFUSED, ['Stop, Retry or Pause', LABELS]]),
    );
  const ofPages = listFiles(tree.root, 'docs')
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) =>
      found(path, withoutCode(readFileSync(join(tree.root, path), 'utf8')), [
        ...REFUSED,
        ...IN_PAGES,
      ]),
    );
  return [...ofSources, ...ofPages];
}

function found(
  path: string,
  text: string,
  refused: readonly (readonly [act: string, words: RegExp])[],
): Violation[] {
  return refused.flatMap(([act, words]) => {
    const said = words.exec(text)?.[0];
    if (said === undefined) return [];
    const message = `says "${said.trim()}" for the act that people know as ${act}; see docs/dashboard.md`;
    return [{ rule: 'act', path, message }];
  });
}

/** A path as `'src/*'` begins no comment. */
function withoutComments(text: string): string {
  return text.replaceAll(/(?<![^\s{(])\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
}
