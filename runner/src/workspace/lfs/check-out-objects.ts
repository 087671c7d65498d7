import { lastWords } from '../git/git.ts';
import { snapshotEnvironment } from '../objects/snapshot.ts';
import type { CommitIdentity, RunInWorkspace } from '../workspace.ts';

const ASK_TIMEOUT_MS = 60_000;
const TIMEOUT_MS = 10 * 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024;

/**
 * Runs inside the workspace's isolation as `sh -c SCRIPT lfs PATH FILES`. git-lfs is set up for this clone
 * alone: a checkout leaves pointers, since nothing can be fetched in there. With FILES `yes`
 * `git lfs checkout` makes files of those whose objects are known; what is no pointer is left alone.
 *
 * Files that git has as they are, from before their paths were given to LFS, are taken for unchanged
 * first: with the filter each would be a change that nobody made. That lasts only when the index is
 * written in a later second than they were. Where files are missing, by a sparse checkout or because they
 * were deleted, only what is there is named: all else would be made.
 */
const CHECK_OUT_SCRIPT = `
cd "$1" || exit 21
sleep 1
git -c filter.lfs.process= -c filter.lfs.clean= -c filter.lfs.required=false \
  update-index -q --refresh --force-write-index >/dev/null 2>&1
git lfs install --local --force --skip-smudge --skip-repo >/dev/null || exit 1
[ "$2" = yes ] || exit 0
of_lfs=':(attr:filter=lfs)'
if [ "$(git config --type=bool core.sparseCheckout)" = true ] || [ -n "$(git ls-files -dz "$of_lfs" | head -c 1)" ]
then
  git ls-files -tz "$of_lfs" | sed -zn 's,^H ,./,p' |
    xargs -0 -r sh -c 'find "$@" -maxdepth 0 -type f -size -3 -print0' sh 2>/dev/null |
    sed -z 's,^[.]/,,; s/[][*?\\\\]/\\\\&/g' | xargs -0 -r git lfs checkout --
else git lfs checkout
fi >/dev/null
`;

/** What an image with git-lfs set up here before would make every `git add` fail. */
const ASK_SCRIPT = `
git lfs version && exit 0
git config --local --remove-section filter.lfs
exit 1
`;

/** Whether there is git-lfs where the agent works. */
export async function hasLfs(
  run: RunInWorkspace,
  { path, identity }: { path: string; identity: CommitIdentity },
): Promise<boolean> {
  const { exitCode } = await run({
    purpose: 'lfs',
    argv: ['sh', '-c', ASK_SCRIPT],
    env: snapshotEnvironment(path, identity),
    timeoutMs: ASK_TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  return exitCode === 0;
}

/** Puts git-lfs to work in a workspace; null when it did, else why it could not. */
export async function checkOutObjects(
  run: RunInWorkspace,
  { path, identity, files }: { path: string; identity: CommitIdentity; files: boolean },
): Promise<string | null> {
  const result = await run({
    purpose: 'lfs',
    argv: ['sh', '-c', CHECK_OUT_SCRIPT, 'lfs', path, files ? 'yes' : 'no'],
    env: snapshotEnvironment(path, identity),
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  if (result.timedOut) return 'it took too long';
  if (result.exitCode === 0) return null;
  return lastWords(result.stderr) || `exit code ${result.exitCode}`;
}
