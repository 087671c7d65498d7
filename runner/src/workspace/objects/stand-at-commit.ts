import { lastMessage } from '../git/git.ts';
import { readShellProgram } from '../../shell/read-shell-program.ts';
import type { CommitIdentity, PreparedWorkspace, RunInWorkspace } from '../workspace.ts';
import { snapshotEnvironment } from './snapshot.ts';

const PROGRAM = readShellProgram(new URL('./shell/stand-at.sh', import.meta.url));
const TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 65_536;
/** Exit codes of the script. */
const HINDRANCES: Readonly<Record<number, string>> = {
  3: 'which does not have it',
  4: 'with changes that are not committed',
  5: 'with other work than it contains',
};

/**
 * Looks whether a workspace may stand at a commit without loss, or puts it there; see stand-at.sh.
 * Resolves with its HEAD before, null where it has none, and what hinders: null when nothing does.
 * Throws the container's errors.
 */
export async function standAtCommit(
  runInWorkspace: RunInWorkspace,
  asked: {
    workspace: Pick<PreparedWorkspace, 'path' | 'branch' | 'baseCommit'>;
    identity: CommitIdentity;
    commit: string;
    /** The tree of the files, or how else they are known. */
    files: 'same' | 'hook' | (string & {});
    act: 'look' | 'move';
  },
): Promise<{ head: string | null; hindrance: string | null }> {
  const { workspace, identity, commit, files, act } = asked;
  const { path, branch, baseCommit } = workspace;
  const result = await runInWorkspace({
    purpose: 'stand-at',
    argv: ['sh', '-c', PROGRAM, 'stand-at', path, commit, baseCommit, branch, files, act],
    env: snapshotEnvironment(path, identity),
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  const head = /^[0-9a-f]{40,64}$/m.exec(result.stdout)?.[0] ?? null;
  if (result.exitCode === 0 && !result.timedOut) return { head, hindrance: null };
  const why = result.timedOut ? 'it took too long' : lastMessage(result.stderr);
  const trouble = `where it cannot be checked out${why === '' ? '' : `: ${why}`}`;
  return { head, hindrance: HINDRANCES[result.exitCode ?? 0] ?? trouble };
}
