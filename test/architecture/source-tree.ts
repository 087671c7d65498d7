import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseSource, type SourceFile } from './source-file.ts';

/** The workspaces, whose folder `x` is imported as `@switchyard/x/<path under src>`. */
export const workspaces = ['shared', 'control-plane', 'runner', 'dashboard'] as const;

const generated = new Set(['node_modules', 'dist', '.toolchain', '.git', '.wrangler']);

const codeFile = /\.(ts|tsx|mjs)$/;

export type Edge = { from: string; to: string; typeOnly: boolean };

export type SourceTree = {
  root: string;
  files: SourceFile[];
  /** Imports between files of the tree; packages from outside are left out. */
  edges: Edge[];
};

/** Reads every TypeScript and JavaScript file of the workspaces and of test/ under `root`. */
export function readSourceTree(root: string): SourceTree {
  const files = [...workspaces, 'test']
    .flatMap((folder) => listFiles(root, folder))
    .filter((path) => codeFile.test(path))
    .map((path) => parseSource(path, readFileSync(join(root, path), 'utf8')));
  const edges = files.flatMap((file) =>
    file.imports.flatMap(({ specifier, typeOnly }) => {
      const to = resolveImport(file.path, specifier);
      return to === null ? [] : [{ from: file.path, to, typeOnly }];
    }),
  );
  return { root, files, edges };
}

/** Every file under a folder, generated ones aside, relative to the root. */
export function listFiles(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return generated.has(entry.name) ? [] : listFiles(root, path);
    return entry.isFile() ? [path] : [];
  });
}

/** A test, or what only tests use: the rules for the product's own graph leave it out. */
export function isTestFile(path: string): boolean {
  return path.startsWith('test/') || /\.test\.tsx?$|\/testing\//.test(path);
}

const productFile = /^(control-plane|dashboard|runner|shared)\/(src|cli|scripted-provider)\//;

/** A source of the product; its tests, configuration and assets of packages are none. */
export function isProductFile(path: string): boolean {
  return productFile.test(path) && !isTestFile(path);
}

/** The first names of a path: the folder that holds a file on that level, or the file itself. */
export function pathAtLevel(path: string, level: number): string {
  return path.split('/').slice(0, level).join('/');
}

/** The file that an import names; null for a package from outside. */
export function resolveImport(importer: string, specifier: string): string | null {
  const path = specifier.startsWith('.')
    ? posix.join(posix.dirname(importer), specifier)
    : workspacePath(specifier);
  return path !== null && codeFile.test(path) ? path : null;
}

function workspacePath(specifier: string): string | null {
  const match = /^@switchyard\/([^/]+)\/(.+)$/.exec(specifier);
  const [, workspace, inside] = match ?? [];
  if (workspace === undefined || inside === undefined) return null;
  return `${workspace}/src/${inside}.ts`;
}
