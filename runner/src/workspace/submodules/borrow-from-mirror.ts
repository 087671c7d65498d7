import { join } from 'node:path';
import { lstatOrNull } from '../disk/contained-path.ts';
import { interruptCollection } from '../mirror/collect-garbage.ts';
import { type Mirror, mirrorCommit, mirrorPathOf, updateMirrorUnless } from '../mirror/mirror.ts';
import { withRefs } from '../mirror/with-refs.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { refComponent } from '../ref-component.ts';
import type { RepositorySource } from '../workspace.ts';

/** Prefix of refs in a submodule's mirror that keep commits borrowed by a workspace. */
function keptRefs(key: string): string {
  return `refs/switchyard/submodules/${refComponent(key)}`;
}

/**
 * Clones or fetches the mirror of a submodule, whose default branch does not matter. Throws the
 * errors of `updateMirror`.
 */
export function updateSubmoduleMirror(
  workspaces: Workspaces,
  source: RepositorySource,
  signal: AbortSignal | undefined,
): Promise<Mirror> {
  const chooseDefault = (): Promise<string> => Promise.resolve('main');
  return updateMirrorUnless(workspaces, source, { signal, chooseDefault });
}

/**
 * The mirror of a submodule with a commit that is kept for a workspace, fetched unless it is
 * present. Null when the remote lacks it. Throws WorkspaceError.
 */
export async function borrowFromMirror(
  workspaces: Workspaces,
  input: { source: RepositorySource; commit: string; key: string; signal: AbortSignal | undefined },
): Promise<string | null> {
  const { source, commit, key, signal } = input;
  await workspaces.git.assertAllowed(source.url);
  const mirrorPath = mirrorPathOf(workspaces, source);
  interruptCollection(mirrorPath);
  const isMirrored = (await lstatOrNull(join(mirrorPath, 'objects')))?.isDirectory() === true;
  const isThere = isMirrored && (await mirrorCommit(workspaces, mirrorPath, commit)) !== null;
  if (!isThere) await updateSubmoduleMirror(workspaces, source, signal);
  return withRefs(workspaces, mirrorPath, async () => {
    if ((await mirrorCommit(workspaces, mirrorPath, commit)) === null) return null;
    const ref = `${keptRefs(key)}/${commit}`;
    await workspaces.git.run({ gitDir: mirrorPath, args: ['update-ref', ref, commit] });
    return mirrorPath;
  });
}

/** Drops the refs of `borrowFromMirror` for a removed workspace. */
export async function giveBackToMirror(
  workspaces: Workspaces,
  { mirrorPath, key }: { mirrorPath: string; key: string },
): Promise<void> {
  await withRefs(workspaces, mirrorPath, async () => {
    const listed = await workspaces.git.run({
      gitDir: mirrorPath,
      args: ['for-each-ref', '--format=delete %(refname)', `${keptRefs(key)}/`],
      // A mirror that was itself removed has no refs.
      okExitCodes: [0, 128],
    });
    if (listed.exitCode !== 0 || listed.stdout === '') return;
    const input = listed.stdout;
    await workspaces.git.run({ gitDir: mirrorPath, args: ['update-ref', '--stdin'], input });
  });
}
