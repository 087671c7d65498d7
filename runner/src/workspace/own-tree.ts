import { lstat } from 'node:fs/promises';
import type { WorkIdentity } from '../container/container-engine.ts';
import { runProcess } from './run-process.ts';
import { WorkspaceError } from './workspace.ts';

const CHOWN_TIMEOUT_MS = 10 * 60_000;

/**
 * Gives a folder and all in it to the identity that containers run under; symlinks themselves,
 * never their targets. Nothing to do without an identity or when the folder has it already.
 */
export async function ownTree(path: string, identity: WorkIdentity): Promise<void> {
  if (identity === null) return;
  const found = await lstat(path);
  if (found.uid === identity.uid && found.gid === identity.gid) return;
  const result = await runProcess({
    file: 'chown',
    args: ['-hR', '-P', '--', `${identity.uid}:${identity.gid}`, path],
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' },
    timeoutMs: CHOWN_TIMEOUT_MS,
    maxOutputBytes: 64 * 1024,
  });
  if (result.exitCode !== 0) {
    throw new WorkspaceError(
      'workspace_unusable',
      `the workspace could not be given to uid ${identity.uid}: ${result.stderr.slice(-500)}`,
    );
  }
}
