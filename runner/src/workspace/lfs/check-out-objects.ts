import { readShellProgram } from '../../shell/read-shell-program.ts';
import { lastMessage } from '../git/git.ts';
import { snapshotEnvironment } from '../objects/snapshot.ts';
import type { CommitIdentity, RunInWorkspace } from '../workspace.ts';

const ASK_TIMEOUT_MS = 60_000;
const TIMEOUT_MS = 10 * 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024;

const CHECK_OUT = readShellProgram(new URL('./check-out-objects.sh', import.meta.url));
const FIND_LFS = readShellProgram(new URL('./find-lfs.sh', import.meta.url));

/** Whether git-lfs is installed in the agent's environment. */
export async function hasLfs(
  run: RunInWorkspace,
  { path, identity }: { path: string; identity: CommitIdentity },
): Promise<boolean> {
  const { exitCode } = await run({
    purpose: 'lfs',
    argv: ['sh', '-c', FIND_LFS],
    env: snapshotEnvironment(path, identity),
    timeoutMs: ASK_TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  return exitCode === 0;
}

/** Sets up git-lfs in a workspace and, with `files`, checks out its files; null, or the failure. */
export async function checkOutObjects(
  run: RunInWorkspace,
  { path, identity, files }: { path: string; identity: CommitIdentity; files: boolean },
): Promise<string | null> {
  const result = await run({
    purpose: 'lfs',
    argv: ['sh', '-c', CHECK_OUT, 'lfs', path, files ? 'yes' : 'no'],
    env: snapshotEnvironment(path, identity),
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  if (result.timedOut) return 'it took too long';
  if (result.exitCode === 0) return null;
  return lastMessage(result.stderr) || `exit code ${result.exitCode}`;
}
