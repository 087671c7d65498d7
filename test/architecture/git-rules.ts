import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ArrayExpression, type Expression, parseSync, Visitor } from 'oxc-parser';
import { isProductFile, listFiles, type SourceTree, workspaces } from './source-tree.ts';
import type { Violation } from './violation.ts';

const PATCH =
  /(?:^| )(?:-[puU]|--patch|--cc|--raw|--stat|--numstat|--summary|--name-only|--name-status|--unified)/;
const ALWAYS = /^/;
/** Commands of git that print names of files, with the options without which they do not. */
const PRINTS: Readonly<Record<string, RegExp>> = {
  status: ALWAYS,
  diff: ALWAYS,
  'diff-tree': ALWAYS,
  'diff-index': ALWAYS,
  'diff-files': ALWAYS,
  'ls-files': ALWAYS,
  'ls-tree': ALWAYS,
  grep: ALWAYS,
  'check-attr': ALWAYS,
  'check-ignore': ALWAYS,
  'merge-tree': ALWAYS,
  submodule: ALWAYS,
  show: ALWAYS,
  log: PATCH,
  stash: PATCH,
  'rev-list': /--objects/,
  worktree: /^list/,
  'sparse-checkout': /^list/,
  apply: /--(?:numstat|stat|summary)/,
};
/** With these, names end with a NUL and stand bare, or none are printed. */
const BARE =
  /(?:^| )(?:-[a-zA-Z]*z\b|--null\b|--quiet\b|--shortstat\b|--no-patch\b|--disk-usage\b|--no-object-names\b|-[a-pr-zA-Z]*q\b)/;
const mayPrint: readonly (readonly [path: string, command: string, why: string])[] = [
  ['runner/src/workspace/objects/diff-commits.ts', 'diff', 'a patch: its readers unquote names'],
  ['runner/src/workspace/push-checks/pushed-texts.ts', 'log', 'a patch: addedLines unquotes names'],
  [
    'runner/src/workspace/objects/shell/marker-lines.sh',
    'diff',
    'of one file whose name is known: only line numbers are read',
  ],
  ['control-plane/cli/images/build-images.ts', 'status', 'only whether it prints anything'],
  ['control-plane/cli/commands/upgrade.ts', 'status', 'only whether it prints anything'],
  ...['status', 'ls-files', 'diff'].map(
    (command) =>
      [
        'control-plane/scripted-provider/ready-scripts.ts',
        command,
        'what an agent of the demo looks at',
      ] as const,
  ),
];

/**
 * Finds calls of git whose output is in the form for people, in which names have quotes and octal
 * escapes: `-z` gives them bare. Calls are lists of arguments, and lines of shell programs.
 */
export function checkGit(tree: SourceTree): Violation[] {
  const shell = workspaces
    .flatMap((folder) => listFiles(tree.root, folder))
    .filter((path) => path.endsWith('.sh'))
    .map((path) => ({ path, text: readFileSync(join(tree.root, path), 'utf8') }));
  return [...tree.files, ...shell]
    .filter(({ path }) => isProductFile(path))
    .flatMap(({ path, text }) => {
      const known = mayPrint.filter(([file]) => file === path).map(([, command]) => command);
      const found = /\bgit\b/i.test(text) ? printing(path, text) : new Set<string>();
      const unlisted = [...found].filter((command) => !known.includes(command));
      const gone = known.filter((command) => !found.has(command));
      return [
        ...unlisted.map((command) => `git ${command} prints names of files for people: give it -z`),
        ...gone.map((command) => `no longer has the git ${command} that git-rules.ts lists`),
      ].map((message) => ({ rule: 'git', path, message }));
    });
}

/** Commands that print names of files for people. */
function printing(path: string, text: string): Set<string> {
  const found = new Set<string>();
  const judge = (words: readonly string[], { isCall }: { isCall: boolean }): void => {
    const [command, ...rest] = withoutGlobalOptions(words);
    const when = PRINTS[command ?? ''];
    if (command === undefined || when === undefined) return;
    if (!isCall && rest.length > 0 && !rest.some((word) => word.startsWith('-'))) return;
    const options = rest.join(' ');
    if (when.test(options) && !BARE.test(options)) found.add(command);
  };
  const judgeText = (script: string): void => {
    const lines = script.replaceAll(/\\\n\s*/g, ' ');
    for (const [, words = ''] of lines.matchAll(COMMAND))
      judge(words.trim().split(/\s+/), { isCall: script.includes('\n') });
  };
  if (path.endsWith('.sh')) {
    judgeText(text);
    return found;
  }
  new Visitor({
    ArrayExpression: (node) => judge(wordsOf(node), { isCall: false }),
    CallExpression({ callee, arguments: given }) {
      if (callee.type !== 'Identifier' || !/git$/i.test(callee.name)) return;
      judge(
        given.flatMap((one) => (one.type === 'SpreadElement' ? [UNKNOWN] : wordsIn(one))),
        { isCall: true },
      );
    },
    Literal: ({ value }) => typeof value === 'string' && judgeText(value),
    TemplateLiteral: ({ quasis }) =>
      judgeText(quasis.map(({ value }) => value.cooked ?? '').join(UNKNOWN)),
  }).visit(parseSync(path, text).program);
  return found;
}

/** Where a command of the shell begins, and its words up to the next one. */
const COMMAND =
  /(?:^|[|;&({!]|\$\(|\b(?:if|then|do|else|while)\s)[ \t]*(?:[A-Z_]+=\S+\s+)*git[ \t]+([^\n|;&)]*)/gm;
/** Stands for what is not written out. */
const UNKNOWN = '…';

function wordsOf({ elements }: ArrayExpression): string[] {
  return elements.flatMap((element) => {
    if (element === null) return [];
    return element.type === 'SpreadElement' ? wordsIn(element.argument) : wordsIn(element);
  });
}

function wordsIn(node: Expression): string[] {
  if (node.type === 'ArrayExpression') return wordsOf(node);
  if (node.type === 'Literal' && typeof node.value === 'string') return [node.value];
  return [UNKNOWN];
}

/** From the command on: `-c name=value` and the like stand before it. */
function withoutGlobalOptions(words: readonly string[]): string[] {
  let at = 0;
  while (at < words.length && /^(?:-|…)/.test(words[at] ?? ''))
    at += /^-[cC]$/.test(words[at] ?? '') ? 2 : 1;
  return words.slice(at);
}
