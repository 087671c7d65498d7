import { runProcess } from '../git/run-process.ts';
import { WorkspaceError } from '../workspace.ts';

const TIMEOUT_MS = 10 * 60_000;

/**
 * Deletes with `rm`, which follows no symlink and has no limit on depth (Node's own fails at the
 * longest path). Folders that an agent made unreadable are made accessible first. Throws
 * `workspace_unusable` when something remains.
 */
export async function deleteTree(path: string): Promise<void> {
  if (await tool('rm', ['-rf', '--', path])) return;
  await tool('chmod', ['-R', 'u+rwX', '--', path]);
  if (await tool('rm', ['-rf', '--', path])) return;
  throw new WorkspaceError('workspace_unusable', `${path} could not be removed completely`);
}

async function tool(file: string, args: readonly string[]): Promise<boolean> {
  const result = await runProcess({
    file,
    args,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' },
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: 64 * 1024,
  });
  return result.exitCode === 0;
}
