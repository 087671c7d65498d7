import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { workInProgressRef } from '@switchyard/shared/protocol/work-in-progress-ref';
import { lstatOrNull } from '../../workspace/disk/contained-path.ts';
import { fetchHiddenRef } from '../../workspace/branches/hidden-ref.ts';
import { mirrorCommit, mirrorPathOf } from '../../workspace/mirror/mirror.ts';
import { removeWorkspace } from '../../workspace/remove-workspace.ts';
import type { RepositorySource } from '../../workspace/workspace.ts';
import { workspaceKeyOf } from '@switchyard/shared/protocol/workspace-key';
import { messageOf } from '@switchyard/shared/message-of';
import type { AttemptContext } from '../attempt-deps.ts';
import type { EngineHome } from '../companions/engine-place.ts';
import { unpackSession } from './pack-session.ts';

/**
 * Brings the commit that earlier work on this issue reached into the mirror, from the remote's
 * hidden ref if needed, and returns it. A local workspace without it is older and is removed.
 * Returns undefined if there is no such commit; a failed fetch becomes a notice.
 */
export async function restoreWork(
  context: AttemptContext,
  source: RepositorySource,
): Promise<string | undefined> {
  const { deps, spec, control } = context;
  const commitSha = spec.resume?.commitSha;
  if (commitSha === undefined || !/^[0-9a-f]{40,64}$/.test(commitSha)) return undefined;
  const { signal } = control;
  try {
    const mirrorPath = mirrorPathOf(deps.workspaces, source);
    if ((await mirrorCommit(deps.workspaces, mirrorPath, commitSha)) !== null) return commitSha;
    const mirror = await deps.workspaces.updateMirror(source, signal);
    if ((await mirrorCommit(deps.workspaces, mirror.path, commitSha)) !== null) return commitSha;
    const ref = workInProgressRef(workspaceKeyOf(spec));
    await fetchHiddenRef(deps.workspaces, {
      repositoryUrl: source.url,
      mirrorPath: mirror.path,
      ref,
      signal,
    });
    if ((await mirrorCommit(deps.workspaces, mirror.path, commitSha)) === null) return undefined;
    const key = workspaceKeyOf(spec);
    const known = await lstatOrNull(join(deps.workspaces.paths.workspaces, key));
    if (known !== null) await removeWorkspace(deps.workspaces, key);
    return commitSha;
  } catch (error) {
    control.check();
    await tell(context, 'earlier work on this issue could not be brought here', error);
    return undefined;
  }
}

/**
 * Unpacks the stored session of the resumed thread to the kept sessions, from which the engine's
 * home is filled.
 */
export async function restoreSession(context: AttemptContext, home: EngineHome): Promise<void> {
  const { deps, spec, ref, control } = context;
  const key = spec.resume?.sessionBlob;
  if (key === undefined || spec.resumeThreadId === undefined) return;
  try {
    const { signal } = control;
    const packed = await deps.uplink.getBlob(ref, context.attemptToken, { key, signal });
    await mkdir(home.keptPath, { recursive: true, mode: 0o700 });
    await unpackSession(packed, home.keptPath, { together: home.isDatabase });
  } catch (error) {
    control.check();
    await tell(context, 'the earlier session could not be brought here', error);
  }
}

async function tell(context: AttemptContext, what: string, error: unknown): Promise<void> {
  const message = `${what}: ${messageOf(error)}`;
  await context.recorder.event('notice', { level: 'warning', message });
}
