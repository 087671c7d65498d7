import { COMPOSITION_ROOTS } from './dependency-rules.ts';
import type { SourceFile } from './source-file.ts';
import { isProductFile, type SourceTree } from './source-tree.ts';
import type { Violation } from './violation.ts';

/** A file of at most this many lines that one file imports is a part of that file. */
const SMALL_LINES = 20;
const LIST = 'test/architecture/small-file-rules.ts';

/** Small files that stay, most of them kinds whose members are each found by their name. */
const mayBeSmall: readonly { path: RegExp; importer?: string; why: string }[] = [
  { path: /^control-plane\/cli\/commands\//, why: 'a command of the command line: one file each' },
  {
    path: /^control-plane\/src\/config\/(sections|integrations)\//,
    why: 'a section of the configuration, named for its key',
  },
  { path: /^control-plane\/src\/db\/schema\//, why: 'a table, named for what it holds' },
  { path: /^control-plane\/src\/([a-z-]+\/)+([a-z-]+-)?routes\.ts$/, why: 'the routes of a room' },
  {
    path: /^control-plane\/src\/integrations\/([a-z]+)\/\1-(integration|chat)\.ts$/,
    why: 'what a provider offers: one file in the folder of each',
  },
  {
    path: /^control-plane\/src\/runners\/protocol\/handle-[a-z-]+\.ts$/,
    why: 'the handler of one message of a runner',
  },
  {
    path: /^control-plane\/src\/platform\/(node\/(system-clock|secrets\/(hash-text|start-hmac))|workers\/create-background)\.ts$/,
    why: 'implements one port for one platform',
  },
  {
    path: /^runner\/src\/attempt\//,
    importer: 'runner/src/attempt/create-companions.ts',
    why: 'a companion of an attempt: one file each, listed there',
  },
  {
    path: /^dashboard\/src\/features\/[a-z-]+\/queries\.ts$/,
    why: 'what a view reads, under the same name in each view',
  },
  {
    path: /\/(drop-slow-listener|refuse-(fork-pull-requests|standby-writes))\.ts$/,
    why: 'keeps one harm away, and is looked for by the name of that harm',
  },
  {
    path: /^control-plane\/(cli\/bootstrap\/signals-once\.mjs|src\/admin\/observability\/sdk\.ts)$/,
    why: 'loaded by its path at run time, apart from the file that names it',
  },
  {
    path: /^(control-plane\/src\/integrations\/github\/api\/next-page|runner\/src\/(connection\/journal\/room-waiters|container\/docker\/image\/other-tags|engine\/codex\/account-limits))\.ts$/,
    why: 'with it, its importer would be longer than the guide of 300 lines',
  },
];

/** Finds product files that are too small to stand alone, and reasons that no file needs any more. */
export function checkSmallFiles(tree: SourceTree): Violation[] {
  const small = smallFiles(tree);
  const covers = mayBeSmall.map(({ path, importer }) => (file: SmallFile) => {
    return path.test(file.path) && (importer === undefined || importer === file.importer);
  });
  const alone = small
    .filter((file) => !covers.some((covered) => covered(file)))
    .map(({ path, lines, importer }) => ({
      rule: 'small-file',
      path,
      message: `has ${lines} lines that only ${importer} needs: move them there or to a neighbour, or say in ${LIST} why the file stays`,
    }));
  const isListed = tree.files.some(({ path }) => path === LIST);
  const idle = mayBeSmall
    .filter((_, at) => isListed && !small.some((file) => covers[at]?.(file)))
    .map(({ path }) => ({
      rule: 'small-file',
      path: LIST,
      message: `no file needs the reason for ${path.source}: take it out`,
    }));
  return [...alone, ...idle];
}

type SmallFile = { path: string; lines: number; importer: string };

/** Small product files with one importer; what connects and what has a test of its own stands alone. */
function smallFiles({ files, edges }: SourceTree): SmallFile[] {
  const importers = new Map<string, Set<string>>();
  for (const { from, to } of edges) {
    const known = importers.get(to) ?? new Set();
    importers.set(to, known.add(from));
  }
  return files.filter(isSmall).flatMap(({ path, text }) => {
    const [...by] = importers.get(path) ?? [];
    const [importer, ...others] = by.filter(isProductFile);
    const [name] = path.split(/\.tsx?$/);
    const isTestedAlone = by.some((test) => test.startsWith(`${name}.`));
    if (importer === undefined || others.length > 0 || isTestedAlone) return [];
    return [{ path, lines: linesOf(text), importer }];
  });
}

function isSmall({ path, text }: SourceFile): boolean {
  return isProductFile(path) && !COMPOSITION_ROOTS.has(path) && linesOf(text) <= SMALL_LINES;
}

function linesOf(text: string): number {
  return text.replace(/\n$/, '').split('\n').length;
}
