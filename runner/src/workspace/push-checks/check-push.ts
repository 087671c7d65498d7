import type { Workspaces } from '../open-workspaces.ts';
import { WorkspaceError } from '../workspace.ts';
import { addedLines } from './added-lines.ts';
import { protectedKind } from './protected-paths.ts';
import type { ProtectedKind } from './protected-paths.ts';
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
  rule: ProtectedKind | 'too_many_files' | 'too_large' | 'secret' | 'known_secret' | 'not_scanned';
  path: string | null;
  line: number | null;
  message: string;
};

const TIMEOUT_MS = 120_000;
const MAX_PATCH_BYTES = 96 * 1024 * 1024;
const MAX_NAMES_BYTES = 16 * 1024 * 1024;
const MAX_PROBLEMS = 20;

const WORDS: Record<ProtectedKind, string> = {
  workflow_file: 'runs on other machines with their credentials; agents may not change it',
  hook_file: "runs on people's machines; agents may not change it",
  engine_config: 'configures agents; agents may not change it',
};

export type PushCheck = {
  mirrorPath: string;
  baseCommit: string;
  commitSha: string;
  limits: PushLimits;
  /** Values that must never leave, for example the provider's key. */
  knownSecrets: readonly string[];
  /** Globs of what configures the agent engine. */
  engineConfigPaths: readonly string[];
  signal?: AbortSignal;
};

/**
 * Looks at every commit that a push would bring to the remote, not only at their sum: an earlier one
 * is as readable there. Empty when nothing is wrong, at most 20 problems. Throws WorkspaceError.
 */
export async function checkPush(workspaces: Workspaces, check: PushCheck): Promise<PushProblem[]> {
  const names = await git(workspaces, check, MAX_NAMES_BYTES, ['--name-only', '-z']);
  const paths = [...new Set(names.stdout.split('\0').filter((name) => name !== ''))];
  const problems = [
    ...pathProblems(paths, check),
    ...countProblems(paths.length, names.truncated, check.limits),
    ...(await sizeProblems(workspaces, check)),
  ];
  if (problems.some(({ rule }) => rule === 'too_large')) return problems.slice(0, MAX_PROBLEMS);
  return [...problems, ...(await secretProblems(workspaces, check))].slice(0, MAX_PROBLEMS);
}

function pathProblems(
  paths: readonly string[],
  { limits, engineConfigPaths }: PushCheck,
): PushProblem[] {
  return paths.flatMap((path) => {
    const rule = protectedKind(path, limits.allowPaths, engineConfigPaths);
    return rule === null
      ? []
      : [{ rule, path: path.slice(0, 500), line: null, message: WORDS[rule] }];
  });
}

function countProblems(count: number, truncated: boolean, { maxFiles }: PushLimits): PushProblem[] {
  if (count <= maxFiles && !truncated) return [];
  const message = `the branch changes ${truncated ? 'far more' : count} files, more than ${maxFiles}`;
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

async function secretProblems(workspaces: Workspaces, check: PushCheck): Promise<PushProblem[]> {
  const patch = await git(workspaces, check, MAX_PATCH_BYTES, [
    ...['--patch', '--unified=0', '--text', '--no-color', '--no-ext-diff', '--no-textconv'],
    '--submodule=short',
  ]);
  if (patch.truncated) {
    const message = 'the changes are too large to be searched for secrets';
    return [{ rule: 'not_scanned', path: null, line: null, message }];
  }
  const files = addedLines(patch.stdout);
  const known = files.flatMap(({ path, lines, numbers }) => {
    const index = lines.findIndex((text) =>
      check.knownSecrets.some((value) => text.includes(value)),
    );
    if (index < 0) return [];
    const message = 'contains a credential of this installation';
    return [{ rule: 'known_secret' as const, path, line: numbers[index] ?? null, message }];
  });
  try {
    const found = await scanSecrets(files);
    return [
      ...known,
      ...found.map(({ path, line, message }) => ({ rule: 'secret' as const, path, line, message })),
    ];
  } catch (error) {
    const message = `the changes could not be searched for secrets: ${String(error)}`;
    return [...known, { rule: 'not_scanned', path: null, line: null, message }];
  }
}

/** What commits bring that no branch of the remote has yet. */
function git(
  workspaces: Workspaces,
  { mirrorPath, baseCommit, commitSha, signal }: PushCheck,
  maxOutputBytes: number,
  options: readonly string[],
) {
  if (!/^[0-9a-f]{40,64}$/.test(commitSha) || !/^[0-9a-f]{40,64}$/.test(baseCommit)) {
    throw new WorkspaceError('git_failed', 'full object ids are needed to check a push');
  }
  return workspaces.git.run({
    purpose: 'log',
    gitDir: mirrorPath,
    args: [
      ...[
        '-c',
        'core.quotePath=false',
        'log',
        '--format=',
        '--no-renames',
        '--diff-merges=combined',
      ],
      ...options,
      ...[commitSha, '--not', baseCommit, '--branches', '--'],
    ],
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes,
    truncate: true,
    ...(signal === undefined ? {} : { signal }),
  });
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
