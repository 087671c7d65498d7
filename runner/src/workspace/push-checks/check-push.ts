import { shownPath } from '../git/shown-path.ts';
import { cutText } from '@switchyard/shared/text/cut-text';
import type { Workspaces } from '../open-workspaces.ts';
import { WorkspaceError } from '../workspace.ts';
import { findSecretsInThread } from './find-secrets-in-thread.ts';
import { netChanges } from './net-changes.ts';
import { type NewCommit, newCommits, type PushRange } from './new-commits.ts';
import { pushedTexts } from './pushed-texts.ts';
import { type ProtectedKind, protectedKind } from './protected-kind.ts';

export type PushLimits = { allowPaths: readonly string[]; maxFiles: number; maxBytes: number };

/** Limits used when a control plane gives none. */
export const DEFAULT_PUSH_LIMITS: PushLimits = {
  allowPaths: [],
  maxFiles: 2_000,
  maxBytes: 64 * 1024 * 1024,
};

/** One reason why a push is refused. */
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

const MAX_PROBLEMS = 20;

const MESSAGES: Record<ProtectedKind, string> = {
  workflow_file: 'runs on other machines with their credentials; agents may not change it',
  hook_file: "runs on people's machines; agents may not change it",
  engine_config: 'configures agents; agents may not change it',
};

export type PushCheck = PushRange & {
  limits: PushLimits;
  /** Values that must never be pushed, such as the provider's key. */
  knownSecrets: readonly string[];
  /** Globs of files that configure the agent engine. */
  engineConfigPaths: readonly string[];
};

/**
 * Checks every commit of a push, not only their sum, because earlier ones are as readable on the
 * remote. Returns at most 20 problems, none when the push is fine. Throws WorkspaceError.
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
      : [{ rule, path: shownPath(cutText(path, 500)), line: null, message: MESSAGES[rule] }];
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
  added: { commits: readonly NewCommit[]; paths: readonly string[] },
): Promise<PushProblem[]> {
  const texts = await pushedTexts(workspaces, check, added);
  if (texts === null) return [notScanned('the changes are too large to be searched for secrets')];
  return findSecretsInThread(texts, check.knownSecrets).catch((error: unknown) => {
    // Not a fault of the work, so the agent could not fix it.
    const message = `the changes could not be searched for secrets: ${String(error)}`;
    throw new WorkspaceError('git_failed', message);
  });
}

function notScanned(message: string): PushProblem {
  return { rule: 'not_scanned', path: null, line: null, message };
}

/** Approximate bytes that a push of `commitSha` sends to a remote that has `known`. */
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
