import { join } from 'node:path';
import type { CallParams } from '@switchyard/shared/protocol/calls';
import { messageOf } from '@switchyard/shared/message-of';
import { CallError } from '../connection/calls.ts';
import type { Log } from '../log.ts';
import { lstatOrNull } from '../workspace/disk/contained-path.ts';
import { runHook } from '../workspace/hooks.ts';
import { removeWorkspace } from '../workspace/remove-workspace.ts';
import type { RunInWorkspace } from '../workspace/workspace.ts';
import type { WorkspaceRecord } from '../workspace/workspace-record.ts';
import { pinnedEngine } from '../container/switching-engine.ts';
import type { CallDeps } from './call-deps.ts';

const DEFAULT_HOOK_TIMEOUT_MS = 60_000;
/** Limits of a clean-up script, outside of attempts. */
const RESOURCES = { memoryBytes: 2 * 1024 ** 3, cpus: 2, pids: 512, tmpfsBytes: 512 * 1024 ** 2 };

/**
 * Removes a workspace unless an attempt uses it (`in_use`), after running its script. False: there
 * was none.
 */
export async function removeIdleWorkspace(
  deps: Pick<CallDeps, 'workspaces' | 'attempts' | 'sandbox' | 'log'>,
  { key, beforeRemove, timeoutMs }: CallParams<'workspace.remove'>,
  signal: AbortSignal,
): Promise<{ removed: boolean }> {
  const refuseInUse = (): void => {
    if (!deps.attempts.workspacesInUse().has(key)) return;
    throw new CallError('in_use', `workspace ${key} is used by a running attempt`);
  };
  refuseInUse();
  const found = await lstatOrNull(join(deps.workspaces.paths.workspaces, key));
  await removeWorkspace(deps.workspaces, key, async (record, path) => {
    refuseInUse();
    if (beforeRemove === undefined || record === null) return;
    if ((await lstatOrNull(path))?.isDirectory() !== true) return;
    const run = runIn(deps.sandbox, { record, path, signal });
    await runScript(deps.log, run, { key, script: beforeRemove, timeoutMs });
    // An attempt that was accepted meanwhile waits for this workspace and gets it.
    refuseInUse();
  });
  return { removed: found !== null };
}

/** Runs the script; its failure is only logged. */
async function runScript(
  log: Log,
  run: RunInWorkspace,
  hook: { key: string; script: string; timeoutMs: number | undefined },
): Promise<void> {
  const { key, script, timeoutMs = DEFAULT_HOOK_TIMEOUT_MS } = hook;
  try {
    const { failure, output } = await runHook(run, { name: 'before_remove', script, timeoutMs });
    if (failure !== null) log.warn('before_remove failed', { workspace: key, failure, output });
  } catch (error) {
    log.warn('before_remove could not run', { workspace: key, error: messageOf(error) });
  }
}

/**
 * Runs commands in the workspace; a container has no network and only reads its mirrors' Git
 * objects.
 */
function runIn(
  sandbox: CallDeps['sandbox'],
  at: { record: WorkspaceRecord; path: string; signal: AbortSignal },
): RunInWorkspace {
  const { path, signal } = at;
  const { mirrorPath, submoduleMirrors = [] } = at.record;
  const objects = [mirrorPath, ...submoduleMirrors].map((mirror) => join(mirror, 'objects'));
  const { image, runnerId, bootId } = sandbox;
  const containers = pinnedEngine(sandbox.containers);
  return ({ purpose, argv, env = {}, timeoutMs, maxOutputBytes }) =>
    containers.run({
      owner: { runnerId, bootId, attemptId: `workspace-${at.record.key}`, epoch: 1 },
      purpose,
      image,
      argv,
      env,
      timeoutMs,
      maxOutputBytes,
      signal,
      workingDirectory: path,
      mounts: [
        { hostPath: path, containerPath: path, readOnly: false },
        ...objects.map((each) => ({ hostPath: each, containerPath: each, readOnly: true })),
      ],
      resources: RESOURCES,
    });
}
