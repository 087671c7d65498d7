import { textTail } from '@switchyard/shared/text/cut-text';
import { withFolder } from '../../agent-files/with-folder.ts';
import { walkFolder } from '../../agent-files/walk-folder.ts';
import type { WorkIdentity } from '../../container/container-engine.ts';
import { runProcess } from '../git/run-process.ts';
import { WorkspaceError } from '../workspace.ts';

const CHOWN_TIMEOUT_MS = 10 * 60_000;
const MAX_ENTRIES = 5_000_000;

/**
 * Gives a folder that this host made, and that no agent has seen, to the identity that containers
 * run under; symlinks themselves, never their targets. Nothing to do without an identity.
 */
export async function ownFreshTree(path: string, identity: WorkIdentity): Promise<void> {
  if (identity === null) return;
  const result = await runProcess({
    file: 'chown',
    args: ['-hR', '-P', '--', `${identity.uid}:${identity.gid}`, path],
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' },
    timeoutMs: CHOWN_TIMEOUT_MS,
    maxOutputBytes: 64 * 1024,
  });
  if (result.exitCode !== 0) throw notGiven(identity, textTail(result.stderr, 500));
}

/**
 * The same for a folder in which agents have written, while none does: as another user may have run
 * this runner before. Goes by open folders; a file with further names may be one of this host's and
 * stays whose it is. Nothing to do when the folder has its owner already.
 */
export async function ownUsedTree(path: string, identity: WorkIdentity): Promise<void> {
  if (identity === null) return;
  let isWhole = true;
  const limits = { maxEntries: MAX_ENTRIES, cut: () => void (isWhole = false) };
  const given = await withFolder(path, async (root) => {
    const { uid, gid } = await root.ownStat();
    if (uid === identity.uid && gid === identity.gid) return true;
    for await (const { folder, name } of walkFolder(root, limits)) {
      const found = await folder.stat(name);
      if (found === null || (!found.isDirectory() && found.nlink > 1)) continue;
      await folder.own(name, identity);
    }
    await root.ownSelf(identity);
    return isWhole;
  });
  if (given !== true) throw notGiven(identity, 'it could not be walked to its end');
}

function notGiven(identity: NonNullable<WorkIdentity>, why: string): WorkspaceError {
  const message = `the workspace could not be given to uid ${identity.uid}: ${why}`;
  return new WorkspaceError('workspace_unusable', message);
}
