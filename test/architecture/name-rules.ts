import { readdirSync } from 'node:fs';
import { posix } from 'node:path';
import type { SourceTree } from './source-tree.ts';
import type { Violation } from './violation.ts';

/** Names that gather what belongs elsewhere. */
const shapeless = /(^|-)(utils?|helpers?|manager|types|common|misc|index)$/;
const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** What the root of the checkout holds; tools insist on each, or a reader expects it there. */
const topLevel = new Set([
  '.ci',
  '.editorconfig',
  '.gitattributes',
  '.gitignore',
  '.oxfmtrc.json',
  '.oxlintrc.json',
  'CHANGELOG.md',
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
  /^(\.git|node_modules|\.toolchain|\.switchyard|\.wrangler|tmp|dist|\.DS_Store|\.idea|\.vscode|\.env.*|.*\.log)$/;

/** Checks file and folder names, barrels, and what stands in the root folder. */
export function checkNames(tree: SourceTree): Violation[] {
  const names = tree.files.flatMap(({ path }) => {
    const { dir, base } = posix.parse(path);
    const name = base.replace(/(\.(test|docker|config|d))*\.(ts|tsx|mjs)$/, '');
    const parts = [...dir.split('/'), name];
    const bad = parts.find((part) => shapeless.test(part));
    if (bad !== undefined) return [violation('names', path, `"${bad}" says nothing about content`)];
    if (!kebabCase.test(name)) return [violation('names', path, 'file names are kebab-case')];
    return [];
  });
  const barrels = tree.files
    .filter((file) => file.isBarrel)
    .map(({ path }) => violation('barrel', path, 'only passes on what others export'));
  const strangers = readdirSync(tree.root)
    .filter((entry) => !topLevel.has(entry) && !untracked.test(entry))
    .map((entry) => violation('top-level', entry, 'not one of the agreed top-level entries'));
  return [...names, ...barrels, ...strangers];
}

function violation(rule: string, path: string, message: string): Violation {
  return { rule, path, message };
}
