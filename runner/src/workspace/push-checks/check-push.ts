import { shownPath } from '../git/shown-path.ts';
import { cutText } from '@switchyard/shared/text/cut-text';
import type { Workspaces } from '../open-workspaces.ts';
import { WorkspaceError } from '../workspace.ts';
import { type AddedText, addedLines } from './added-lines.ts';
import { mergedTexts } from './merged-texts.ts';
import { netChanges } from './net-changes.ts';
import { CHECK_TIMEOUT_MS, type NewCommit, type PushRange, newCommits } from './new-commits.ts';
import { type ProtectedKind, protectedKind } from './protected-kind.ts';
import { readObjects } from './read-objects.ts';
import { scanSecrets } from './scan-secrets.ts';

export type PushLimits = { allowPaths: readonly string[]; maxFiles: number; maxBytes: number };

/** When a control plane says nothing of them. */
export const DEFAULT_PUSH_LIMITS: PushLimits = {
  allowPaths: [],
  maxFiles: 2_000,
  maxBytes: 64 * 1024 * 1024,
};

/** One reason not to push. */
export type PushProblem = {
  rule:
    | ProtectedKind
    | 'too_many_files'
    | 'too_large'
    | 'secret'
    | 'known_secret'
    | 'not_scanned'
    | 'submodule_pointer'
    | 'lfs_raw_content'
    | 'lfs_object_missing';
  path: string | null;
  line: number | null;
  message: string;
};

const MAX_PATCH_BYTES = 96 * 1024 * 1024;
const MAX_PROBLEMS = 20;
/** Ids say nothing, and look like keys. */
const OBJECT_LINE = /^(?:tree|parent) [0-9a-f]{40,64}$/;

const WORDS: Record<ProtectedKind, string> = {
  workflow_file: 'runs on other machines with their credentials; agents may not change it',
  hook_file: "runs on people's machines; agents may not change it",
  engine_config: 'configures agents; agents may not change it',
};

export type PushCheck = PushRange & {
  limits: PushLimits;
  /** Values that must never leave, for example the provider's key. */
  knownSecrets: readonly string[];
  /** Globs of what configures the agent engine. */
  engineConfigPaths: readonly string[];
};

/**
 * Looks at every commit that a push would bring to the remote, not only at their sum: an earlier one
 * is as readable there. Empty when nothing is wrong, at most 20 problems. Throws WorkspaceError.
 */
export async function checkPush(workspaces: Workspaces, check: PushCheck): Promise<PushProblem[]> {
  const commits = await newCommits(workspaces, check);
  if (commits === null) return [notScanned('the branch has too many commits to be looked at')];
  const net = await netChanges(workspaces, check, commits);
  if (net === null)
    return [notScanned('the branch changes or merges far more than can be looked at')];
  const problems = [
    ...pathProblems([...net.unlikeMain], check),
    ...countProblems(net.changed.size, check.limits),
    ...(await sizeProblems(workspaces, check)),
  ];
  if (problems.some(({ rule }) => rule === 'too_large')) return problems.slice(0, MAX_PROBLEMS);
  const secrets = await secretProblems(workspaces, check, { commits, paths: [...net.changed] });
  return [...problems, ...secrets].slice(0, MAX_PROBLEMS);
}

function pathProblems(
  paths: readonly string[],
  { limits, engineConfigPaths }: PushCheck,
): PushProblem[] {
  return paths.flatMap((path) => {
    const rule = protectedKind(path, limits.allowPaths, engineConfigPaths);
    return rule === null
      ? []
      : [{ rule, path: shownPath(cutText(path, 500)), line: null, message: WORDS[rule] }];
  });
}

function countProblems(count: number, { maxFiles }: PushLimits): PushProblem[] {
  if (count <= maxFiles) return [];
  const message = `the branch changes ${count} files, more than ${maxFiles}`;
  return [{ rule: 'too_many_files', path: null, line: null, message }];
}

async function sizeProblems(workspaces: Workspaces, check: PushCheck): Promise<PushProblem[]> {
  const { mirrorPath, commitSha, baseCommit, limits } = check;
  const bytes = await pushBytes(workspaces, { mirrorPath, commitSha, known: [baseCommit] });
  if (bytes <= limits.maxBytes) return [];
  const mebibytes = (size: number): string => `${Math.ceil(size / 1024 / 1024)} MiB`;
  const message = `the branch weighs ${mebibytes(bytes)}, more than ${mebibytes(limits.maxBytes)}`;
  return [{ rule: 'too_large', path: null, line: null, message }];
}

async function secretProblems(
  workspaces: Workspaces,
  check: PushCheck,
  { commits, paths }: { commits: readonly NewCommit[]; paths: readonly string[] },
): Promise<PushProblem[]> {
  const texts = await addedTexts(workspaces, check, commits);
  const words = await wordsOf(workspaces, check, { commits, paths });
  if (texts === null || words === null)
    return [notScanned('the changes are too large to be searched for secrets')];
  const files = [...texts, ...words].map(readable);
  const known = files.flatMap(({ path, lines, numbers }) => {
    const index = lines.findIndex((text) =>
      check.knownSecrets.some((value) => text.includes(value)),
    );
    if (index < 0) return [];
    const message = 'contains a credential of this installation';
    return [{ rule: 'known_secret' as const, path, line: numbers[index] ?? null, message }];
  });
  const found = await scanSecrets(files).catch((error: unknown) => {
    // Nothing of the work: its agent could not put it right.
    const message = `the changes could not be searched for secrets: ${String(error)}`;
    throw new WorkspaceError('git_failed', message);
  });
  return [
    ...known,
    ...found.map(({ path, line, message }) => ({ rule: 'secret' as const, path, line, message })),
  ];
}

function notScanned(message: string): PushProblem {
  return { rule: 'not_scanned', path: null, line: null, message };
}

/** What new commits add to files; null when that is too much. Merges are read by themselves. */
async function addedTexts(
  workspaces: Workspaces,
  check: PushCheck,
  commits: readonly NewCommit[],
): Promise<AddedText[] | null> {
  const { mirrorPath, baseCommit, commitSha, signal } = check;
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
  const merged = await mergedTexts(workspaces, check, { commits, maxBytes: MAX_PATCH_BYTES });
  return merged === null ? null : [...addedLines(patch.stdout), ...merged];
}

/** What else a push makes readable: commits with every header and their message, names of files. */
async function wordsOf(
  workspaces: Workspaces,
  check: PushCheck,
  { commits, paths }: { commits: readonly NewCommit[]; paths: readonly string[] },
): Promise<AddedText[] | null> {
  const ids = commits.filter(({ isKnown }) => !isKnown).map(({ id }) => id);
  const texts = await readObjects(workspaces, check, { ids, maxBytes: MAX_PATCH_BYTES });
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
 * Text of two bytes a letter reads as the same letters with zeros in between; a single zero parts two
 * words. Both ways of reading are searched.
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

/** How much a push of `commitSha` would bring to a remote that has `known`, about. Bytes. */
export async function pushBytes(
  workspaces: Workspaces,
  input: { mirrorPath: string; commitSha: string; known: readonly string[] },
): Promise<number> {
  const { mirrorPath, commitSha, known } = input;
  const without = known.map((sha) => `^${sha}`);
  const options = ['rev-list', '--objects', '--disk-usage', '--ignore-missing'];
  const result = await workspaces.git.run({
    purpose: 'rev-list',
    gitDir: mirrorPath,
    args: [...options, commitSha, ...without, '--'],
  });
  return Number(result.stdout);
}
