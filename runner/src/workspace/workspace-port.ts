import { pushBranch, type PushInput } from './branches/push-branch.ts';
import { type FetchedMirror, fetchMirror } from './mirror/fetch-mirror.ts';
import { type Mirror, updateMirror } from './mirror/mirror.ts';
import { takeSnapshot, type SnapshotInput } from './objects/snapshot.ts';
import type { Workspaces } from './open-workspaces.ts';
import { prepareWorkspace, type PrepareInput } from './prepare-workspace.ts';
import { readInstructions } from './read-instructions.ts';
import type { PreparedWorkspace, RepositorySource, RunInWorkspace, Snapshot } from './workspace.ts';

/** What an attempt's steps need: access to repositories and clones on this host. */
export interface WorkspacePort extends Workspaces {
  updateMirror(source: RepositorySource, signal?: AbortSignal): Promise<Mirror>;
  /**
   * Fetches before a push and reports whether the base branch still exists; a push does not need
   * it.
   */
  fetchMirror(
    source: RepositorySource,
    options?: { baseBranch?: string; signal?: AbortSignal },
  ): Promise<FetchedMirror>;
  prepare(input: PrepareInput): Promise<PreparedWorkspace>;
  /** Reads agent instructions at the root of a workspace; null when there are none. */
  readInstructions(workspacePath: string, names: readonly string[]): Promise<string | null>;
  snapshot(runInWorkspace: RunInWorkspace, input: SnapshotInput): Promise<Snapshot>;
  push(input: PushInput): Promise<void>;
}

/** The port on real folders and the git command. */
export function createWorkspacePort(workspaces: Workspaces): WorkspacePort {
  return {
    ...workspaces,
    updateMirror: (source, signal) => updateMirror(workspaces, source, signal),
    fetchMirror: (source, options) => fetchMirror(workspaces, source, options),
    prepare: (input) => prepareWorkspace(workspaces, input),
    readInstructions,
    snapshot: (runInWorkspace, input) => takeSnapshot(workspaces, runInWorkspace, input),
    push: (input) => pushBranch(workspaces, input),
  };
}
