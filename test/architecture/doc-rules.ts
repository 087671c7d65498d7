import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles, type SourceTree } from './source-tree.ts';
import type { Violation } from './violation.ts';

/** A place in this repository, as pages quote it. Those with a `<name>` or `…` stand for several. */
const quoted = /`((?:control-plane|runner|dashboard|shared|test|migrations)\/[\w./-]*)`/g;

/** Finds files and folders that a page of docs/ names and that are not there. */
export function checkDocs({ root }: SourceTree): Violation[] {
  return listFiles(root, 'docs')
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) =>
      [...readFileSync(join(root, path), 'utf8').matchAll(quoted)]
        .map(([, named = '']) => named)
        .filter((named) => !existsSync(join(root, named)))
        .map((named) => ({ rule: 'docs', path, message: `names ${named}, which is not there` })),
    );
}
