import '../../../control-plane/cli/quick-module-paths.ts';
import { createHash } from 'node:crypto';
import fsPromises from 'node:fs/promises';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import fs, { readFileSync } from 'node:fs';
import { QUICK_QUERIES, type Rewrite } from './quick-queries.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** What the attempt steps import of the disk and of git; here it is simulated. */
const REPLACED = new Map(
  [
    ['runner/src/workspace/prepare-workspace.ts', 'prepare-workspace.ts'],
    ['runner/src/workspace/objects/snapshot.ts', 'snapshot.ts'],
    ['runner/src/workspace/mirror/mirror.ts', 'mirror.ts'],
    ['runner/src/workspace/branches/push.ts', 'push.ts'],
    ['runner/src/workspace/disk/delete-tree.ts', 'delete-tree.ts'],
    ['runner/src/workspace/read-instructions.ts', 'read-instructions.ts'],
  ].map(([real = '', fake = '']) => [
    urlOf(real),
    pathToFileURL(join(import.meta.dirname, 'replaced', fake)).href,
  ]),
);

function urlOf(path: string): string {
  return pathToFileURL(join(ROOT, path)).href;
}

/**
 * Puts the simulated edges under the real code: git and the engine's home by module, the hash and
 * the disk check without a thread pool, so that a seed always gives the same run. Must run before
 * the first module of the product is loaded. Throws later, at the load of a module, when a
 * rewrite's statement is not in it any more.
 */
export function installEdges(mutated: readonly Rewrite[]): void {
  const rewrites = [...QUICK_QUERIES, ...mutated];
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      const other = context.parentURL?.includes('/runner/src/attempt/')
        ? REPLACED.get(found.url)
        : undefined;
      return other === undefined ? found : { ...found, url: other };
    },
    load(url, context, next) {
      const wanted = rewrites.filter(({ module }) => url.endsWith(`/${module}`));
      if (wanted.length === 0) return next(url, context);
      let source = readFileSync(fileURLToPath(url), 'utf8');
      for (const { module, from, to } of wanted) {
        if (!source.includes(from))
          throw new Error(`${module} has no ${JSON.stringify(from)} to replace`);
        source = source.replaceAll(from, to);
      }
      const format = url.endsWith('.ts') ? 'module-typescript' : 'module';
      return { format, source, shortCircuit: true };
    },
  });
  withoutThreadPool();
}

function withoutThreadPool(): void {
  const digest = async (_algorithm: unknown, data: Uint8Array): Promise<ArrayBuffer> =>
    new Uint8Array(createHash('sha256').update(data).digest()).buffer;
  Object.defineProperty(crypto.subtle, 'digest', { value: digest, configurable: true });
  for (const name of FILE_CALLS) {
    const call = fs[`${name}Sync`] as (...args: unknown[]) => unknown;
    Object.assign(fsPromises, { [name]: async (...args: unknown[]) => call(...args) });
  }
  const roomy = async () => ({ bavail: 1_000_000_000, bsize: 4_096 });
  Object.assign(fsPromises, { statfs: roomy, cp: copyTree, opendir: openFolder, open: openFile });
  syncBuiltinESMExports();
  // Real time has no place here: what it would cut off is cut off by the steps' own clocks.
  AbortSignal.timeout = () => new AbortController().signal;
}

const FILE_CALLS = [
  'access',
  'chmod',
  'chown',
  'lchown',
  'copyFile',
  'lstat',
  'mkdir',
  'readdir',
  'readFile',
  'realpath',
  'rename',
  'rm',
  'stat',
  'writeFile',
] as const;

type CopyOptions = { filter?: (from: string, to: string) => Promise<boolean> };

async function copyTree(from: string, to: string, options: CopyOptions): Promise<void> {
  if ((await options.filter?.(from, to)) === false) return;
  if (!fs.lstatSync(from).isDirectory()) return fs.copyFileSync(from, to);
  fs.mkdirSync(to, { recursive: true });
  for (const name of fs.readdirSync(from))
    await copyTree(join(from, name), join(to, name), options);
}

async function openFolder(path: string) {
  const entries = fs.readdirSync(path, { withFileTypes: true });
  return {
    async *[Symbol.asyncIterator]() {
      yield* entries;
    },
    read: async () => entries.shift() ?? null,
    close: async () => undefined,
  };
}

/** As much of an open file as is used, without a thread pool. */
async function openFile(path: string, flags?: number | string, mode?: number) {
  const fd = fs.openSync(path, flags ?? 'r', mode);
  return {
    fd,
    stat: async (options: fs.StatSyncOptions) => fs.fstatSync(fd, options as never),
    read: async (buffer: Uint8Array, offset: number, length: number, position: number | null) => ({
      bytesRead: fs.readSync(fd, buffer, offset, length, position),
      buffer,
    }),
    write: async (data: string | Uint8Array) => ({
      bytesWritten: typeof data === 'string' ? fs.writeSync(fd, data) : fs.writeSync(fd, data),
    }),
    writeFile: async (data: string | Uint8Array) => fs.writeFileSync(fd, data),
    readFile: async (options: { encoding: BufferEncoding }) => fs.readFileSync(fd, options),
    chmod: async (to: number) => fs.fchmodSync(fd, to),
    chown: async (uid: number, gid: number) => fs.fchownSync(fd, uid, gid),
    sync: async () => undefined,
    datasync: async () => undefined,
    truncate: async (length: number) => fs.ftruncateSync(fd, length),
    close: async () => fs.closeSync(fd),
    async [Symbol.asyncDispose]() {
      fs.closeSync(fd);
    },
  };
}
