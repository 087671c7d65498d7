import { existsSync } from 'node:fs';
import type { Mount, ProxyAccess, Resources } from '../../container/container-engine.ts';
import { lfsStorePath } from '../../workspace/lfs/store-object.ts';
import type { PreparedWorkspace, RunInWorkspace } from '../../workspace/workspace.ts';
import type { AttemptContext } from '../attempt-deps.ts';

/** The folders of the host that every container of an attempt sees. */
export function workspaceMounts(
  workspace: PreparedWorkspace,
  { readOnly = false }: { readOnly?: boolean | undefined } = {},
): Mount[] {
  const { path, objectsPath, submoduleObjects = [], mirrorPath } = workspace;
  const store = lfsStorePath(mirrorPath);
  // The LFS store is mounted only where a repository uses Git LFS.
  const borrowed = [objectsPath, ...submoduleObjects, ...(existsSync(store) ? [store] : [])];
  return [
    { hostPath: path, containerPath: path, readOnly },
    ...borrowed.map((objects) => ({ hostPath: objects, containerPath: objects, readOnly: true })),
  ];
}

export function resourcesOf(context: AttemptContext): Resources {
  const { memoryBytes, cpus, pids, tmpfsBytes } = context.spec.sandbox;
  return { memoryBytes, cpus, pids, tmpfsBytes };
}

export function imageOf(context: AttemptContext): string {
  return context.spec.sandbox.image ?? context.deps.settings.image;
}

type CommandAccess = {
  /** Left out: no network access at all. */
  proxy?: ProxyAccess | undefined;
  /** Beside what every container of the attempt sees. */
  moreMounts?: readonly Mount[];
};

/**
 * Runs short commands (git, hooks) with the attempt's mounts and no direct network access, until
 * `signal`.
 */
export function runInWorkspaceOf(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  signal: AbortSignal,
  { proxy, moreMounts = [] }: CommandAccess = {},
): RunInWorkspace {
  return (command) => {
    const { stdoutFile } = command;
    return context.deps.containers.run({
      owner: context.owner,
      purpose: command.purpose,
      image: imageOf(context),
      argv: command.argv,
      env: command.env ?? {},
      workingDirectory: workspace.path,
      mounts: [...workspaceMounts(workspace), ...moreMounts],
      resources: resourcesOf(context),
      timeoutMs: command.timeoutMs,
      maxOutputBytes: command.maxOutputBytes,
      signal,
      proxy,
      runtime: context.spec.sandbox.runtime,
      ...(stdoutFile === undefined ? {} : { stdoutFile }),
    });
  };
}
