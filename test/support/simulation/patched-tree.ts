import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** A statement of a module, and what stands in its place in a patched tree. */
export type Patch = { module: string; from: string; to: string };

const ROOT = join(import.meta.dirname, '../../..');
const PACKAGES = ['control-plane', 'runner', 'shared'] as const;
const COPIED = [
  ...PACKAGES.flatMap((name) => [`${name}/package.json`, `${name}/src`]),
  'package.json',
  'migrations',
  'test/support',
  'test/simulation',
];

/** Trees of sources to run, each made once, before the first process that loads it. */
export class PatchedTrees {
  readonly #folder: string;
  readonly #made = new Map<string, string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The root of the sources with these patches: the original when there are none. */
  rootOf(patches: readonly Patch[]): string {
    if (patches.length === 0) return ROOT;
    const key = JSON.stringify(patches);
    const root = this.#made.get(key) ?? join(this.#folder, `patched-${this.#made.size + 1}`);
    if (!this.#made.has(key)) makePatchedTree(root, patches);
    this.#made.set(key, root);
    return root;
  }
}

/**
 * Copies the sources that a simulation runs into `folder`, with the patches made. Throws when a
 * patch finds no statement to replace.
 */
function makePatchedTree(folder: string, patches: readonly Patch[]): void {
  for (const path of COPIED) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  for (const { module, ...change } of patches) {
    const path = join(folder, module);
    writeFileSync(path, patched(module, readFileSync(path, 'utf8'), change));
  }
  linkModules(folder);
}

function patched(module: string, source: string, { from, to }: Omit<Patch, 'module'>): string {
  if (!source.includes(from))
    throw new Error(`${module} has no ${JSON.stringify(from)} to replace`);
  return source.replaceAll(from, to);
}

/** Packages of others are those of the original; our own are the copies. */
function linkModules(folder: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@switchyard'), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name.startsWith('.') || name === '@switchyard') continue;
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  for (const name of PACKAGES) {
    symlinkSync(join(folder, name), join(modules, '@switchyard', name));
    const own = join(ROOT, name, 'node_modules');
    if (existsSync(own)) symlinkSync(own, join(folder, name, 'node_modules'));
  }
}
