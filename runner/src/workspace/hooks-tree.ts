import { basename } from 'node:path';
import { readShellProgram } from '../shell/read-shell-program.ts';
import type { Workspaces } from './open-workspaces.ts';
import { snapshotEnvironment } from './objects/snapshot.ts';
import type { CommitIdentity, PreparedWorkspace, RunInWorkspace } from './workspace.ts';
import { readWorkspaceRecord, writeWorkspaceRecord } from './workspace-record.ts';

const TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 65_536;
const PROGRAM = readShellProgram(new URL('./objects/shell/hooks-tree.sh', import.meta.url));

/**
 * Records, after the hooks and before the agent, the tree of a new workspace and the files below
 * its submodules, so that what stays unchanged does not count as the agent's work. Records no tree
 * when git cannot write one, or when the workspace already contains earlier work.
 */
export async function rememberHooksTree(
  workspaces: Workspaces,
  runInWorkspace: RunInWorkspace,
  {
    workspace,
    identity,
    isBaseBranch,
  }: { workspace: PreparedWorkspace; identity: CommitIdentity; isBaseBranch: boolean },
): Promise<void> {
  const { path } = workspace;
  const result = await runInWorkspace({
    purpose: 'hooks-tree',
    argv: ['sh', '-c', PROGRAM, 'hooks-tree', path],
    env: snapshotEnvironment(path, identity),
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  if (!isBaseBranch) return;
  const hooksTree = result.stdout.trim();
  if (result.exitCode !== 0 || !/^[0-9a-f]{40,64}$/.test(hooksTree)) return;
  const record = await readWorkspaceRecord(workspaces.paths.records, basename(path));
  if (record === null) return;
  await writeWorkspaceRecord(workspaces.paths.records, { ...record, hooksTree });
}

/** Whether a commit of the mirror contains exactly what the hooks had left. */
export async function isHooksTree(
  workspaces: Workspaces,
  { path, mirrorPath }: Pick<PreparedWorkspace, 'path' | 'mirrorPath'>,
  commitSha: string,
): Promise<boolean> {
  const record = await readWorkspaceRecord(workspaces.paths.records, basename(path));
  if (record?.hooksTree === undefined) return false;
  const { stdout } = await workspaces.git.run({
    gitDir: mirrorPath,
    args: ['rev-parse', '--verify', '--quiet', '--end-of-options', `${commitSha}^{tree}`],
  });
  return stdout.trim() === record.hooksTree;
}
