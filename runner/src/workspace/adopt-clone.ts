import { textTail } from '@switchyard/shared/text/cut-text';
import { readShellProgram } from '../shell/read-shell-program.ts';
import { namesRepository } from './git/names-repository.ts';
import { snapshotEnvironment } from './objects/snapshot.ts';
import type { CommitIdentity, PreparedWorkspace, RunInWorkspace } from './workspace.ts';
import { WorkspaceError } from './workspace.ts';

const TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 65_536;
const FIND_ORIGIN = readShellProgram(new URL('./find-origin.sh', import.meta.url));
const ADOPT_CLONE = readShellProgram(new URL('./adopt-clone.sh', import.meta.url));

/**
 * Turns a clone that an after_create hook made into the workspace. All checks and changes run
 * inside the workspace's isolation. Throws `hook_failed` when there is no clone of the repository.
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
  const run = (program: string, args: readonly string[]) =>
    runInWorkspace({
      purpose: 'adopt-clone',
      argv: ['sh', '-c', program, 'adopt-clone', path, ...args],
      env: snapshotEnvironment(path, identity),
      timeoutMs: TIMEOUT_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
    });
  const origin = await run(FIND_ORIGIN, []);
  if (origin.exitCode !== 0) throw failed('left no clone in the workspace');
  if (!namesRepository(origin.stdout, repositoryUrl)) {
    throw failed(`cloned another repository than the route's ${repositoryUrl}`);
  }
  const { name, email } = identity;
  const { startCommit } = toClone;
  const adopted = await run(ADOPT_CLONE, [
    objectsPath,
    branch,
    baseCommit,
    startCommit,
    baseBranch,
    repositoryUrl,
    name,
    email,
  ]);
  if (adopted.exitCode === 0) return;
  const message = textTail(adopted.stderr.trim(), 500);
  if (adopted.exitCode === 4) {
    throw failed(`left a clone whose history does not contain ${baseBranch} (${baseCommit})`);
  }
  if (adopted.exitCode === 5)
    throw failed(`left changes that ${branch} cannot begin with: ${message}`);
  throw failed(`left a clone that git cannot work with: ${message}`);
}

function failed(what: string): WorkspaceError {
  return new WorkspaceError('hook_failed', `hook after_create ${what}; mend the hook`);
}
