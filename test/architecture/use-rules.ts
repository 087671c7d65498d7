import { reachedFrom } from './reached-from.ts';
import { isProductFile, type SourceTree } from './source-tree.ts';
import type { Violation } from './violation.ts';

/** Where programs begin: run by npm scripts, by the bundler, or as processes of their own. */
export const entries: readonly string[] = [
  'control-plane/cli/bootstrap.mjs',
  'control-plane/cli/switchyard.ts',
  'control-plane/cli/bootstrap/complete-lock.mjs',
  'control-plane/cli/build/build-command.mjs',
  'control-plane/cli/build/package-command.mjs',
  'control-plane/cli/images/build-images.ts',
  'control-plane/src/platform/workers/worker.ts',
  'runner/src/container/docker/image/build-sandbox.ts',
  'runner/src/main.ts',
  'dashboard/src/main.tsx',
  'dashboard/src/explorer/explorer.ts',
];

/**
 * Finds product files that no program reaches, also those that only tests use. A file that begins
 * with `#!` is a program of its own; `new URL('./x.ts', import.meta.url)` counts as an import.
 */
export function checkUse(tree: SourceTree): Violation[] {
  const starts = tree.files
    .filter(({ path, text }) => entries.includes(path) || text.startsWith('#!'))
    .map(({ path }) => path);
  const reached = reachedFrom(starts, tree.edges);
  return tree.files
    .filter(({ path }) => isProductFile(path) && !reached.has(path))
    .map(({ path }) => ({ rule: 'unused', path, message: 'no program imports this file' }));
}
