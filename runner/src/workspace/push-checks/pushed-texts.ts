import { shownPath } from '../git/shown-path.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { type AddedText, addedLines } from './added-lines.ts';
import { mergedTexts } from './merged-texts.ts';
import { CHECK_TIMEOUT_MS, type NewCommit, type PushRange } from './new-commits.ts';
import { readObjects } from './read-objects.ts';

const MAX_PATCH_BYTES = 96 * 1024 * 1024;
/** Lines with object ids, which contain no secret but look like keys. */
const OBJECT_LINE = /^(?:tree|parent) [0-9a-f]{40,64}$/;

/**
 * All text that a push makes readable: added lines, commits with their messages, and file names; text
 * with zeros in both of its readings. Null when that is too much to scan. Throws WorkspaceError.
 */
export async function pushedTexts(
  workspaces: Workspaces,
  range: PushRange,
  { commits, paths }: { commits: readonly NewCommit[]; paths: readonly string[] },
): Promise<AddedText[] | null> {
  const added = await addedTexts(workspaces, range, commits);
  const others = await commitTexts(workspaces, range, { commits, paths });
  return added === null || others === null ? null : [...added, ...others].map(readable);
}

/**
 * Lines that new commits add to files; null when there are too many. Merges are read separately.
 */
async function addedTexts(
  workspaces: Workspaces,
  range: PushRange,
  commits: readonly NewCommit[],
): Promise<AddedText[] | null> {
  const { mirrorPath, baseCommit, commitSha, signal } = range;
  const patch = await workspaces.git.run({
    purpose: 'log',
    gitDir: mirrorPath,
    args: [
      '-c',
      'core.quotePath=false',
      'log',
      '--format=',
      '--no-renames',
      '--no-merges',
      '--patch',
      '--unified=0',
      '--text',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
      '--submodule=short',
      commitSha,
      '--not',
      baseCommit,
      '--branches',
      '--',
    ],
    timeoutMs: CHECK_TIMEOUT_MS,
    maxOutputBytes: MAX_PATCH_BYTES,
    truncate: true,
    ...(signal === undefined ? {} : { signal }),
  });
  if (patch.truncated) return null;
  const merged = await mergedTexts(workspaces, range, { commits, maxBytes: MAX_PATCH_BYTES });
  return merged === null ? null : [...addedLines(patch.stdout), ...merged];
}

/** Other texts of a push: commits with all headers and messages, and file names. */
async function commitTexts(
  workspaces: Workspaces,
  range: PushRange,
  { commits, paths }: { commits: readonly NewCommit[]; paths: readonly string[] },
): Promise<AddedText[] | null> {
  const ids = commits.filter(({ isKnown }) => !isKnown).map(({ id }) => id);
  const texts = await readObjects(workspaces, range, { ids, maxBytes: MAX_PATCH_BYTES });
  if (texts === null) return null;
  const text = (path: string, lines: string[]): AddedText => ({ path, lines, numbers: [] });
  return [
    ...[...texts].map(([id, raw]) =>
      text(
        `commit ${id.slice(0, 12)}`,
        raw.split('\n').filter((line) => !OBJECT_LINE.test(line)),
      ),
    ),
    ...(paths.length === 0 ? [] : [text('names of files', [...paths])]),
  ];
}

/**
 * Reads text in two ways: UTF-16 looks like the same letters with zeros between, and a single zero
 * separates two words. Both readings are searched.
 */
function readable({ path, lines, numbers }: AddedText): AddedText {
  const shown: AddedText = { path: shownPath(path), lines: [], numbers: [] };
  for (const [index, line] of lines.entries()) {
    const ways = line.includes('\0')
      ? [line.replaceAll('\0', ''), line.replaceAll('\0', ' ')]
      : [line];
    shown.lines.push(...ways);
    const number = numbers[index];
    if (number !== undefined) shown.numbers.push(...ways.map(() => number));
  }
  return shown;
}
