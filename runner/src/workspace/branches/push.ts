import { assertBranchName, assertOwnBranchName } from '../git/branch-name.ts';
import { lastWords } from '../git/git.ts';
import { TRANSFER_LIMITS } from '../git/git-limits.ts';
import { hostTrouble } from '../git/host-trouble.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { parseRepositoryUrl } from '../git/repository-url.ts';
import { WorkspaceError } from '../workspace.ts';

export type PushInput = {
  mirrorPath: string;
  repositoryUrl: string;
  branch: string;
  /** Full object id: a short or symbolic name could mean something else. */
  commitSha: string;
  /** Where the remote's branch must stand now; null: it must not exist yet. */
  expectedSha: string | null;
  /** Default 5 min. */
  timeoutMs?: number;
  signal?: AbortSignal;
};

const TIMEOUT_MS = 5 * 60_000;
/** Words of hooks, rulesets and permissions, of which GitHub's carry numbers such as GH013. */
const FINAL =
  /\bGH0\d\d\b|hook declined|push declined|refusing to allow|protected branch|not allowed to (?:push|force push|upload)/i;

/**
 * Moves a branch below `switchyard/` on the remote to a commit of the mirror. Fine when the remote
 * has it already. Throws `branch_refused`, `push_rejected` with the remote's words, `push_refused` when these
 * name a rule, `host_unreachable`,
 * `host_auth_failed` or `git_failed`.
 */
export async function pushBranch(workspaces: Workspaces, input: PushInput): Promise<void> {
  assertOwnBranchName(input.branch);
  await pushCommit(workspaces, input);
}

/** As pushBranch, for any branch: only what a person asked for (a merge) may move those. */
export async function pushCommit(workspaces: Workspaces, input: PushInput): Promise<void> {
  assertBranchName(input.branch);
  assertObjectId(input.commitSha);
  if (input.expectedSha !== null) assertObjectId(input.expectedSha);
  const { url } = parseRepositoryUrl(input.repositoryUrl);
  const ref = `refs/heads/${input.branch}`;
  const result = await workspaces.git.run({
    gitDir: input.mirrorPath,
    args: [
      'push',
      '--porcelain',
      '--no-verify',
      '--no-follow-tags',
      '--recurse-submodules=no',
      `--force-with-lease=${ref}:${input.expectedSha ?? ''}`,
      '--',
      url,
      `${input.commitSha}:${ref}`,
    ],
    remoteUrl: url,
    timeoutMs: input.timeoutMs ?? TIMEOUT_MS,
    limits: TRANSFER_LIMITS,
    okExitCodes: [0, 1, 128],
    ...(input.signal === undefined ? {} : { signal: input.signal }),
  });
  if (result.exitCode === 0) return;
  const words = lastWords(`${result.stderr}\n${result.stdout}`);
  const refused = result.stdout.split('\n').find((line) => line.startsWith('!'));
  if (refused === undefined) {
    throw new WorkspaceError(hostTrouble(url, words) ?? 'git_failed', `git push failed: ${words}`);
  }
  throw new WorkspaceError(
    isFinalRefusal(words) ? 'push_refused' : 'push_rejected',
    `the remote refused ${input.branch}${hint(words)}: ${refusalWords(words, refused)}`,
  );
}

/** Whether a remote's words name a rule: the same push never succeeds. */
export function isFinalRefusal(words: string): boolean {
  return FINAL.test(words);
}

/** What the remote itself says, without git's own frame of addresses and references. */
function refusalWords(words: string, refused: string): string {
  const said = words.split('\n').flatMap((line) => /^remote:\s*(\S.*)$/.exec(line)?.[1] ?? []);
  const rule = /\(([^()]+)\)\s*$/.exec(refused)?.[1];
  if (said.length === 0) return rule ?? words;
  return rule === undefined ? said.join('\n') : `${said.join('\n')} (${rule})`;
}

function hint(words: string): string {
  if (words.includes('stale info')) return ' (it has moved since it was last seen)';
  if (words.includes('checked out')) {
    return ' (it is checked out there: merge by hand in that folder, or set receive.denyCurrentBranch=updateInstead in it)';
  }
  return '';
}

function assertObjectId(text: string): void {
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)) {
    throw new WorkspaceError('git_failed', 'a full object id is needed to push');
  }
}
