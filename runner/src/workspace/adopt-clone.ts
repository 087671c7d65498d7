import { textTail } from '@switchyard/shared/text/cut-text';
import { namesRepository } from './git/names-repository.ts';
import { snapshotEnvironment } from './objects/snapshot.ts';
import type { CommitIdentity, PreparedWorkspace, RunInWorkspace } from './workspace.ts';
import { WorkspaceError } from './workspace.ts';

const TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 65_536;

const ORIGIN_SCRIPT = `
[ -d "$1/.git" ] && [ ! -L "$1/.git" ] || exit 3
git config --local --get remote.origin.url || exit 3
`;

/**
 * Brings a hook's clone into the form of our own ones: objects borrowed from the mirror, the whole
 * history, one branch of the remote, the branch, no log of what the hook did.
 */
const ADOPT_SCRIPT = `
cd "$1" || exit 1
objects=$2 branch=$3 base=$4 start=$5 base_branch=$6 url=$7
mkdir -p .git/objects/info && printf '%s\\n' "$objects" > .git/objects/info/alternates || exit 1
rm -f .git/shallow
head=$(git rev-parse --verify --quiet 'HEAD^{commit}') || exit 4
git merge-base --is-ancestor "$base" "$head" || exit 4
[ "$start" = "$base" ] && start=$head
git checkout --quiet --no-track -B "$branch" "$start" -- || exit 5
git for-each-ref --format='delete %(refname)' | grep -Fvx "delete refs/heads/$branch" |
  git update-ref --no-deref --stdin || exit 1
git update-ref "refs/heads/$base_branch" "$base" || exit 1
git update-ref "refs/remotes/origin/$base_branch" "$base" || exit 1
rm -rf .git/logs
git config --local --replace-all remote.origin.url "$url" &&
  git config --local --replace-all remote.origin.fetch \\
    "+refs/heads/$base_branch:refs/remotes/origin/$base_branch" &&
  git config --local user.name "$8" && git config --local user.email "$9" || exit 1
`;

/**
 * Makes the workspace of what an after_create hook cloned. Everything is looked at and changed
 * inside the workspace's isolation. Throws `hook_failed` where there is no clone of the repository.
 */
export async function adoptClone(
  runInWorkspace: RunInWorkspace,
  given: {
    workspace: PreparedWorkspace & { toClone: { startCommit: string } };
    repositoryUrl: string;
    identity: CommitIdentity;
  },
): Promise<void> {
  const { workspace, repositoryUrl, identity } = given;
  const { path, objectsPath, branch, baseCommit, baseBranch, toClone } = workspace;
  const run = (script: string, args: readonly string[]) =>
    runInWorkspace({
      purpose: 'adopt-clone',
      argv: ['sh', '-c', script, 'adopt-clone', path, ...args],
      env: snapshotEnvironment(path, identity),
      timeoutMs: TIMEOUT_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
    });
  const origin = await run(ORIGIN_SCRIPT, []);
  if (origin.exitCode !== 0) throw failed('left no clone in the workspace');
  if (!namesRepository(origin.stdout, repositoryUrl)) {
    throw failed(`cloned another repository than the route's ${repositoryUrl}`);
  }
  const { name, email } = identity;
  const { startCommit } = toClone;
  const adopted = await run(ADOPT_SCRIPT, [
    ...[objectsPath, branch, baseCommit, startCommit, baseBranch, repositoryUrl, name, email],
  ]);
  if (adopted.exitCode === 0) return;
  const words = textTail(adopted.stderr.trim(), 500);
  if (adopted.exitCode === 4) {
    throw failed(`left a clone whose history does not contain ${baseBranch} (${baseCommit})`);
  }
  if (adopted.exitCode === 5)
    throw failed(`left changes that ${branch} cannot begin with: ${words}`);
  throw failed(`left a clone that git cannot work with: ${words}`);
}

function failed(what: string): WorkspaceError {
  return new WorkspaceError('hook_failed', `hook after_create ${what}; mend the hook`);
}
