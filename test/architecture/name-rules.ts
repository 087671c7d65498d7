import { readdirSync } from 'node:fs';
import { posix } from 'node:path';
import type { SourceFile } from './source-file.ts';
import { isProductFile, type SourceTree } from './source-tree.ts';
import { entries } from './use-rules.ts';
import type { Violation } from './violation.ts';

/** Names that gather what belongs elsewhere. */
const shapeless = /(^|-)(utils?|helpers?|manager|types|common|misc|index)$/;
const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Files that hold a set, named for it: none of what they export is the main one. */
const sets =
  /(^|-)(actions|decide|documents|errors|limits|operations|ports|protocol|queries|routes|labels|messages)$/;

/**
 * Words that files and exports may not be named in, and that are no names of variables, parameters
 * and functions, each with the field's words for it.
 */
const dialect: ReadonlyMap<string, string> = new Map([
  ['glance', 'probe'],
  ['glimpse', 'probe'],
  ['heard', 'accepted, handled or received'],
  ['look', 'check, probe or sync'],
  ['mine', 'own'],
  ['said', 'message'],
  ['told', 'reported'],
  ['unheard', 'ignored'],
  ['words', 'text, message, label or terms'],
  ['young', 'recent'],
]);

/** What the root of the checkout holds; tools insist on each, or a reader expects it there. */
const topLevel = new Set([
  '.ci',
  '.editorconfig',
  '.dev.vars.example',
  '.gitattributes',
  '.github',
  '.gitignore',
  '.oxfmtrc.json',
  '.oxlintrc.json',
  '.shellcheckrc',
  'CHANGELOG.md',
  'compose.yaml',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'control-plane',
  'dashboard',
  'docs',
  'knip.json',
  'migrations',
  'package-lock.json',
  'package.json',
  'runner',
  'shared',
  'test',
  'tsconfig.base.json',
  'vitest.config.ts',
  'wrangler.toml',
]);
/** Made on the machine and ignored by git. */
const untracked =
  /^(\.git|node_modules|\.toolchain|\.switchyard|\.wrangler|tmp|dist|artifacts|\.DS_Store|\.idea|\.vscode|\.env.*|.*\.log)$/;

/** Checks names of files, folders and exports, barrels, and the entries of the root folder. */
export function checkNames(tree: SourceTree): Violation[] {
  const names = tree.files.flatMap(({ path }) => {
    const { dir, base } = posix.parse(path);
    const name = base.replace(/(\.(test|docker|process|config|d))*\.(ts|tsx|mjs)$/, '');
    const parts = [...dir.split('/'), name];
    const bad = parts.find((part) => shapeless.test(part));
    if (bad !== undefined) return [violation('names', path, `"${bad}" says nothing about content`)];
    if (!kebabCase.test(name)) return [violation('names', path, 'file names are kebab-case')];
    return [];
  });
  const unlike = tree.files
    .filter((file) => isProductFile(file.path))
    .filter((file) => !entries.includes(file.path) && !isNamedAfterExport(file))
    .map(({ path, exports }) =>
      violation('export-name', path, `is named after none of its exports: ${exports.join(', ')}`),
    );
  const odd = tree.files.flatMap(({ path, exports }) =>
    [posix.basename(path).split('.')[0] ?? '', ...exports].flatMap((name) =>
      wordsOf(name).flatMap((word) => {
        const better = dialect.get(word);
        if (better === undefined) return [];
        return [violation('dialect', path, `${name}: say ${better} for "${word}"`)];
      }),
    ),
  );
  const oddlyDeclared = tree.files
    .filter(({ path }) => isProductFile(path))
    .flatMap(({ path, declared }) =>
      [...new Set(declared)].flatMap((name) => {
        const better = dialect.get(name);
        return better === undefined
          ? []
          : [violation('dialect', path, `${name}: name it ${better}, or for what it holds`)];
      }),
    );
  const barrels = tree.files
    .filter((file) => file.isBarrel)
    .map(({ path }) => violation('barrel', path, 'only passes on what others export'));
  const strangers = readdirSync(tree.root)
    .filter((entry) => !topLevel.has(entry) && !untracked.test(entry))
    .map((entry) => violation('top-level', entry, 'not one of the agreed top-level entries'));
  return [...names, ...unlike, ...odd, ...oddlyDeclared, ...barrels, ...strangers];
}

function violation(rule: string, path: string, message: string): Violation {
  return { rule, path, message };
}

/** Every word of the file's name is, in order, a word of one export; programs export nothing. */
function isNamedAfterExport({ path, exports }: SourceFile): boolean {
  const name = posix.basename(path).replace(/\.(ts|tsx|mjs)$/, '');
  if (exports.length === 0 || exports.includes('default') || sets.test(name)) return true;
  const wanted = name.split('-').map(stem);
  return exports.some((exported) => {
    const words = wordsOf(exported).map(stem);
    let at = 0;
    for (const word of words) if (word === wanted[at]) at += 1;
    return at === wanted.length;
  });
}

function wordsOf(name: string): string[] {
  return name
    .replaceAll('GitHub', 'Github')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
    .split(/[-_]/);
}

/** `routes` and `Route` are one word, and so are `queries` and `query`. */
function stem(word: string): string {
  return word.replace(/ies$/, 'y').replace(/s$/, '');
}
