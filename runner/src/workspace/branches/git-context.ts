import type { GitHindrance } from '@switchyard/shared/api/git-hindrance';
import { cutText } from '@switchyard/shared/text/cut-text';
import { containedPath } from '../disk/contained-path.ts';
import { mirrorKey } from '../mirror/mirror-key.ts';
import { updateMirror } from '../mirror/mirror.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { redactUrls } from '../git/redact-urls.ts';
import { parseRepositoryUrl } from '../git/repository-url.ts';
import { unlessAborted } from '../git/unless-aborted.ts';
import { type RepositorySource, WorkspaceError } from '../workspace.ts';

export type GitContext = {
  /** The branch from which work starts. */
  head: string;
  /** Most recently changed first, at most 500. */
  branches: { name: string; commitSha: string; committedAtMs: number; subject: string }[];
  remotes: { name: string; url: string }[];
  /**
   * Why the mirror could not be fetched, so that this is its former state, for people; null when it
   * was fetched.
   */
  stale: string | null;
  /** What prevents pushes or merges; null: nothing known. */
  hindrance: GitHindrance | null;
};

const MAX_BRANCHES = 500;

/**
 * Branches and remote of a repository: from a fetched mirror if the remote answers before `signal`,
 * else from the mirror's former state. Throws WorkspaceError when there is no mirror yet.
 */
export async function gitContext(
  workspaces: Workspaces,
  source: RepositorySource,
  signal?: AbortSignal,
): Promise<GitContext> {
  const mirror = await mirrorFor(workspaces, source, signal);
  const listed = await workspaces.git.run({
    gitDir: mirror.path,
    args: [
      'for-each-ref',
      `--count=${MAX_BRANCHES}`,
      '--sort=-committerdate',
      '--format=%(refname:lstrip=2)%00%(objectname)%00%(committerdate:unix)%00%(contents:subject)',
      'refs/heads/',
    ],
  });
  const branches = listed.stdout.split('\n').flatMap((line) => {
    const [name = '', commitSha = '', seconds = '', subject = ''] = line.split('\0');
    if (name === '') return [];
    return [
      { name, commitSha, committedAtMs: Number(seconds) * 1000, subject: cutText(subject, 200) },
    ];
  });
  return {
    head: mirror.defaultBranch,
    branches,
    remotes: [{ name: 'origin', url: redactUrls(mirror.url) }],
    stale: mirror.stale,
    hindrance:
      mirror.stale === null
        ? await workspaces.git.hindrance(mirror.url, mirror.defaultBranch)
        : null,
  };
}

type Found = { path: string; url: string; defaultBranch: string; stale: string | null };

async function mirrorFor(
  workspaces: Workspaces,
  source: RepositorySource,
  signal?: AbortSignal,
): Promise<Found> {
  const fetched = updateMirror(workspaces, source, signal);
  try {
    // A mirror that another fetch has locked is awaited only until the signal.
    const { path, url, defaultBranch } = await unlessAborted(
      fetched,
      signal,
      () => new WorkspaceError('host_unreachable', 'the remote did not answer in time'),
    );
    return { path, url, defaultBranch, stale: null };
  } catch (error) {
    const late = signal?.aborted === true;
    const unreachable = error instanceof WorkspaceError && /^(host_|git_failed)/.test(error.code);
    const known = late || unreachable ? await mirrorAsItIs(workspaces, source) : null;
    if (known === null) throw error;
    const why =
      late || !(error instanceof Error) ? 'the remote did not answer in time' : error.message;
    return { ...known, stale: why };
  }
}

async function mirrorAsItIs(
  workspaces: Workspaces,
  source: RepositorySource,
): Promise<Omit<Found, 'stale'> | null> {
  const { url } = parseRepositoryUrl(source.url);
  const { path, exists } = await containedPath(workspaces.paths.mirrors, mirrorKey(url));
  if (!exists) return null;
  const head = await workspaces.git.run({
    gitDir: path,
    args: ['symbolic-ref', '--short', 'HEAD'],
  });
  return { path, url, defaultBranch: source.defaultBranch ?? head.stdout.trim() };
}
