import { withRefs } from '../mirror/with-refs.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { type CommitIdentity, WorkspaceError } from '../workspace.ts';

const MAX_COMMITS = 500;

/**
 * Creates signed copies (ssh) of every commit beyond the base, on the host and in the mirror: the
 * key never enters a container. Authors, dates and messages stay; the committer becomes the
 * configured identity. Ed25519 signatures are deterministic, so repeating gives the same ids.
 * Without a key the commit is returned as is.
 */
export async function signCommits(
  workspaces: Workspaces,
  input: {
    mirrorPath: string;
    baseCommit: string;
    commit: string;
    identity: CommitIdentity;
    targetRef: string;
  },
): Promise<string> {
  const { mirrorPath, baseCommit, commit, identity, targetRef } = input;
  if (identity.signingKeyPath === undefined) return commit;
  const list = await workspaces.git.run({
    gitDir: mirrorPath,
    args: [
      'rev-list',
      '--reverse',
      '--topo-order',
      `--max-count=${MAX_COMMITS + 1}`,
      commit,
      `^${baseCommit}`,
    ],
  });
  const commits = list.stdout.split('\n').filter((line) => line !== '');
  if (commits.length > MAX_COMMITS) {
    const why = `the work has more than ${MAX_COMMITS} commits to sign; make them fewer`;
    throw new WorkspaceError('limit_exceeded', why);
  }
  const signed = new Map<string, string>();
  for (const original of commits) {
    signed.set(original, await signCommit(workspaces, input, original, signed));
  }
  const tip = signed.get(commit) ?? commit;
  await withRefs(workspaces, mirrorPath, () =>
    workspaces.git.run({ gitDir: mirrorPath, args: ['update-ref', targetRef, tip] }),
  );
  return tip;
}

async function signCommit(
  workspaces: Workspaces,
  { mirrorPath, identity }: { mirrorPath: string; identity: CommitIdentity },
  original: string,
  signed: ReadonlyMap<string, string>,
): Promise<string> {
  const format = '%T%n%P%n%an%n%ae%n%ad%n%cd%n%B';
  const shown = await workspaces.git.run({
    gitDir: mirrorPath,
    args: [
      'show',
      '--no-patch',
      '--no-show-signature',
      '--date=raw',
      `--format=${format}`,
      original,
      '--',
    ],
  });
  const [
    tree = '',
    parents = '',
    name = '',
    email = '',
    authorDate = '',
    commitDate = '',
    ...message
  ] = shown.stdout.split('\n');
  const parentArgs = parents
    .split(' ')
    .filter((parent) => parent !== '')
    .flatMap((parent) => ['-p', signed.get(parent) ?? parent]);
  const made = await workspaces.git.run({
    gitDir: mirrorPath,
    args: ['commit-tree', `-S${identity.signingKeyPath}`, ...parentArgs, '-F', '-', tree],
    env: {
      GIT_AUTHOR_NAME: name || identity.name,
      GIT_AUTHOR_EMAIL: email || identity.email,
      GIT_AUTHOR_DATE: authorDate,
      GIT_COMMITTER_NAME: identity.name,
      GIT_COMMITTER_EMAIL: identity.email,
      GIT_COMMITTER_DATE: commitDate,
    },
    input: `${message.join('\n').trimEnd()}\n`,
  });
  return made.stdout.trim();
}
