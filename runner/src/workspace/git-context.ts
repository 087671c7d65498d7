import { updateMirror } from './mirror.ts';
import type { Workspaces } from './open-workspaces.ts';
import { redactUrls } from './redact-urls.ts';
import type { RepositorySource } from './workspace.ts';

export type GitContext = {
  /** The branch that work starts from. */
  head: string;
  /** Most recently changed first, at most 500. */
  branches: { name: string; commitSha: string; committedAtMs: number; subject: string }[];
  remotes: { name: string; url: string }[];
};

const MAX_BRANCHES = 500;

/** Branches and remote of a repository, from a fresh mirror. */
export async function gitContext(
  workspaces: Workspaces,
  source: RepositorySource,
): Promise<GitContext> {
  const mirror = await updateMirror(workspaces, source);
  const listed = await workspaces.git.run({
    purpose: 'for-each-ref',
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
      { name, commitSha, committedAtMs: Number(seconds) * 1000, subject: subject.slice(0, 200) },
    ];
  });
  return {
    head: mirror.defaultBranch,
    branches,
    remotes: [{ name: 'origin', url: redactUrls(mirror.url) }],
  };
}
