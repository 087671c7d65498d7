import type { GitCommand as RealCommand } from '../../../runner/src/workspace/git/git.ts';
import { WorkspaceError } from '../../../runner/src/workspace/workspace.ts';
import type { Random } from './random.ts';
import type { ProcessClock } from './sim-host.ts';

/** A push as the simulated remote saw it. */
export type Push = { atMs: number; repositoryUrl: string; branch: string; commitSha: string };

/** The remote repository all hosts push to. */
export class SimRemote {
  readonly heads = new Map<string, string>();
  readonly pushes: Push[] = [];

  push(push: Push): void {
    this.pushes.push(push);
    this.heads.set(`${push.repositoryUrl} ${push.branch}`, push.commitSha);
  }
}

/** How pushes fail while the remote, or the way to it, is in trouble. */
export const REMOTE_TROUBLES = [
  ...(['host_unreachable', 'host_auth_failed', 'push_refused'] as const),
  ...(['push_rejected', 'git_failed'] as const),
] satisfies WorkspaceError['code'][];
export type RemoteTrouble = (typeof REMOTE_TROUBLES)[number];

/** What stands behind a simulated runner's workspaces. */
export type SimGit = {
  /** Of the process that asks: with it everything it waits for is gone. */
  clock: ProcessClock;
  worldMs: () => number;
  remote: SimRemote;
  random: Random;
  /** Counts commits, so that each snapshot has an id of its own. */
  commits: { count: number };
  /** Commits that this host's mirror has. */
  mirrored: Set<string>;
  /** Null: pushes work. */
  trouble: () => RemoteTrouble | null;
};

type GitCommand = Pick<RealCommand, 'purpose' | 'args' | 'input'>;
type GitResult = { exitCode: number; stdout: string; stderr: string; truncated: boolean };

/** How `cat-file --batch-check` tells of a tree. */
const TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904 tree';

const result = (stdout: string): GitResult => ({
  exitCode: 0,
  stdout,
  stderr: '',
  truncated: false,
});

/** The few commands that the attempt's steps run themselves, against the simulated remote. */
export async function runGit(git: SimGit, command: GitCommand): Promise<GitResult> {
  const { args, purpose = args[0] } = command;
  await pause(git, 5, 300);
  if (purpose === 'ls-remote') {
    const [url = '', ref = ''] = args.slice(-2);
    const sha = git.remote.heads.get(`${url} ${ref}`);
    return result(sha === undefined ? '' : `${sha}\t${ref}\n`);
  }
  if (purpose === 'push') return pushRef(git, args);
  if (purpose === 'fetch') return fetchRef(git, args);
  if (purpose === 'rev-parse') return revParse(git, args.at(-1) ?? '');
  if (purpose === 'rev-list') return result('1000\n');
  if (purpose === 'for-each-ref') return result('own\n');
  // All commits have the same files: none moves a submodule.
  if (purpose === 'cat-file' && typeof command.input === 'string')
    return result(command.input.replaceAll(/.+/g, TREE));
  // No repository here uses Git LFS.
  if (purpose === 'grep') return { ...result(''), exitCode: 1 };
  return result('');
}

/** Where a branch stands in the mirror, or a commit that is there, or its tree. */
function revParse(git: SimGit, name: string): GitResult {
  if (name.endsWith('^{tree}')) return result(treeOfCommit(name.replace('^{tree}', '')));
  const branch = name.replace('refs/heads/', '').replace('^{commit}', '');
  if (git.mirrored.has(branch)) return result(branch);
  for (const [key, sha] of git.remote.heads) if (key.endsWith(` ${branch}`)) return result(sha);
  return { ...result(''), exitCode: 1 };
}

/** Some snapshots find the files of the one before. */
function treeOfCommit(commitSha: string): string {
  return (Number.parseInt(commitSha.slice(-8).replace(/^c+/, ''), 16) >> 1)
    .toString(16)
    .padStart(40, 'd');
}

/** `fetch URL +REF:REF`: a hidden ref comes into the mirror. */
function fetchRef(git: SimGit, args: readonly string[]): GitResult {
  const [url = '', refspec = ''] = args.slice(-2);
  const ref = refspec.split(':')[1] ?? '';
  const sha = git.remote.heads.get(`${url} ${ref}`);
  if (sha === undefined) throw new WorkspaceError('git_failed', `the remote has no ${ref}`);
  git.mirrored.add(sha);
  return result('');
}

/** What a push meets while the remote is in trouble. */
export function failWhileInTrouble(git: SimGit): void {
  const trouble = git.trouble();
  if (trouble !== null) throw new WorkspaceError(trouble, 'the remote is in trouble');
}

/** `push --force-with-lease=REF:SHA -- URL SHA:REF`; an empty SHA deletes. */
function pushRef(git: SimGit, args: readonly string[]): GitResult {
  const [url = '', refspec = ''] = args.slice(-2);
  const [sha = '', ref = ''] = refspec.split(':');
  const expected = args.find((arg) => arg.startsWith('--force-with-lease='))?.split(':')[1] ?? '';
  const key = `${url} ${ref}`;
  failWhileInTrouble(git);
  if ((git.remote.heads.get(key) ?? '') !== expected) throw new Error(`git push: ${ref} has moved`);
  if (sha === '') git.remote.heads.delete(key);
  else git.remote.heads.set(key, sha);
  return result('');
}

export function pause(git: SimGit, lowMs: number, highMs: number): Promise<void> {
  return new Promise((resolve) => git.clock.after(git.random.int(lowMs, highMs), resolve));
}
