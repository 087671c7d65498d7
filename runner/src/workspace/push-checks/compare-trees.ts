import type { Workspaces } from '../open-workspaces.ts';
import { WorkspaceError } from '../workspace.ts';
import { CHECK_TIMEOUT_MS, type PushRange } from './new-commits.ts';

export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
/** File mode of a submodule pointer. */
export const SUBMODULE = '160000';
const MAX_OUTPUT_BYTES = 128 * 1024 * 1024;
const HEADER = /^[0-9a-f]{40} [0-9a-f]{40}$/;
const ENTRY = /^:\d+ (\d+) ([0-9a-f]+) ([0-9a-f]+) /;

/** Two trees to compare: from, to. */
export type TreePair = readonly [string, string];
export type TreeChange = { mode: string; fromId: string; toId: string };
/** By `from to`, then by path: every file, link and submodule that differs. */
export type TreeChanges = Map<string, Map<string, TreeChange>>;

export function changesIn(found: TreeChanges, pair: TreePair): Map<string, TreeChange> {
  return found.get(pair.join(' ')) ?? new Map<string, TreeChange>();
}

/**
 * Compares trees, including modes; null when there are more differences than are read. Throws
 * WorkspaceError.
 */
export async function compareTrees(
  workspaces: Workspaces,
  { mirrorPath, signal }: Pick<PushRange, 'mirrorPath' | 'signal'>,
  pairs: readonly TreePair[],
): Promise<TreeChanges | null> {
  const asked = new Set(pairs.filter(([from, to]) => from !== to).map((pair) => pair.join(' ')));
  if (asked.size === 0) return new Map();
  const output = await readDifferences(workspaces, {
    gitDir: mirrorPath,
    args: ['diff-tree', '--stdin', '-r', '-z', '--raw', '--no-abbrev', '--no-renames'],
    input: `${[...asked].join('\n')}\n`,
    timeoutMs: CHECK_TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    ...(signal === undefined ? {} : { signal }),
  });
  if (output === null) return null;
  const found = parse(output);
  // Each pair must have a result, also without differences; otherwise the output was misread.
  if (found.size !== asked.size)
    throw new WorkspaceError('git_failed', 'git diff-tree did not compare all that was asked');
  return found;
}

/** Output with one character for each byte; null when it is too long. */
async function readDifferences(
  { git }: Workspaces,
  command: Parameters<Workspaces['git']['readBytes']>[0],
): Promise<string | null> {
  try {
    return (await git.readBytes(command)).toString('latin1');
  } catch (error) {
    if (error instanceof WorkspaceError && error.code === 'limit_exceeded') return null;
    throw error;
  }
}

/**
 * A name as text. Invalid UTF-8 bytes become lone surrogates, which no text contains, so that two
 * different names never count as one file.
 */
function nameOf(bytes: string): string {
  const raw = Buffer.from(bytes, 'latin1');
  const text = raw.toString('utf8');
  if (raw.equals(Buffer.from(text))) return text;
  return bytes.replaceAll(/[\x80-\xff]/g, (byte) =>
    String.fromCharCode(0xdc00 + byte.charCodeAt(0)),
  );
}

/** Parses `FROM TO newline`, then `:mode mode id id letter NUL path NUL` for each difference. */
function parse(output: string): TreeChanges {
  const found: TreeChanges = new Map();
  let files = new Map<string, TreeChange>();
  for (let at = 0; at < output.length;) {
    if (output[at] !== ':') {
      const end = output.indexOf('\n', at);
      const header = output.slice(at, end === -1 ? output.length : end);
      if (!HEADER.test(header)) throw new WorkspaceError('git_failed', 'git diff-tree is unclear');
      files = new Map();
      found.set(header, files);
      at += header.length + 1;
      continue;
    }
    const nameStart = output.indexOf('\0', at) + 1;
    const nameEnd = output.indexOf('\0', nameStart);
    const [, mode = '', fromId = '', toId = ''] = ENTRY.exec(output.slice(at, nameStart)) ?? [];
    files.set(nameOf(output.slice(nameStart, nameEnd)), { mode, fromId, toId });
    at = nameEnd + 1;
  }
  return found;
}
