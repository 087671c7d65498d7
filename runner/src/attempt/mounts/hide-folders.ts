import { textTail } from '@switchyard/shared/text/cut-text';
import { join, posix } from 'node:path';
import { withFolder, withFolderInside } from '../../agent-files/with-folder.ts';
import type { Mount } from '../../container/container-engine.ts';
import { readShellProgram } from '../../shell/read-shell-program.ts';
import type { PreparedWorkspace } from '../../workspace/workspace.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import { AttemptFailed } from '../attempt-end.ts';
import type { Companion } from '../companions/companion.ts';
import { emptyFolder } from './engine-home.ts';
import { runInWorkspaceOf } from './workspace-mounts.ts';

const TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024;
/** Marker file in the workspace's .git while its index ignores hidden folders. */
const MARKER = 'switchyard-hidden';

const PROGRAM = readShellProgram(new URL('./hide-folders.sh', import.meta.url));

/**
 * Hides folders of the repository from which an engine would run programs, by mounting an empty one
 * over each. Throws AttemptFailed if the repository has such a folder and there is no container to
 * hide it in.
 */
export function hideFolders(context: AttemptContext): Companion {
  return {
    name: 'the hidden folders',
    engineStarting: ({ workspace, launch }) => mountsOver(context, workspace, launch.hiddenFolders),
  };
}

async function mountsOver(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  folders: readonly string[] = [],
): Promise<Mount[]> {
  const present = await presentOf(workspace, folders);
  const { deps, control, spec } = context;
  if (deps.containers.isolation === 'process') {
    const [first] = present;
    if (first === undefined) return [];
    throw new AttemptFailed(
      'agent_error',
      `the repository has ${first}, from which the agent engine ${spec.engine.name ?? ''} runs ` +
        'programs, and without a container this runner cannot hide it: run agents in Docker, or ' +
        "allow the repository's own settings (engine.repositorySettings)",
      { reasonCode: 'settings_not_hidden' },
    );
  }
  const isMarked = await hasMarker(workspace);
  const run = runInWorkspaceOf(context, workspace, control.signal);
  const index = async (bit: string, names: readonly string[]): Promise<void> => {
    const result = await run({
      purpose: 'hide',
      argv: ['sh', '-c', PROGRAM, 'hide', workspace.path, bit, MARKER, ...names],
      env: { GIT_DIR: join(workspace.path, '.git') },
      timeoutMs: TIMEOUT_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
    });
    if (result.exitCode === 0) return;
    const why = result.timedOut ? 'it took too long' : textTail(result.stderr.trim(), 500);
    throw new AttemptFailed(
      'workspace_error',
      `the folders ${names.join(', ')} of the repository could not be hidden from the engine: ${why}`,
    );
  };
  if (folders.length === 0) {
    // An earlier attempt hid folders for another engine; this engine may change their files.
    if (isMarked) await index('--no-skip-worktree', ['.']);
    return [];
  }
  if (present.length > 0 || isMarked) await index('--skip-worktree', folders);
  const empty = await emptyFolder(deps.settings.dataDir);
  await makeFolders(context, workspace, folders);
  return folders.map((name) => ({
    hostPath: empty,
    containerPath: posix.join(workspace.path, name),
    readOnly: true,
  }));
}

/** Which of these names exist at the workspace's root, as folder, link or file. */
async function presentOf(
  workspace: PreparedWorkspace,
  names: readonly string[],
): Promise<string[]> {
  const found = await withFolder(workspace.path, async (root) => {
    const there: string[] = [];
    for (const name of names) if ((await root.stat(name)) !== null) there.push(name);
    return there;
  });
  return found ?? [];
}

async function hasMarker(workspace: PreparedWorkspace): Promise<boolean> {
  const found = await withFolder(workspace.path, (root) =>
    withFolderInside(root, ['.git'], { make: false }, (folder) => folder.stat(MARKER)),
  );
  return found !== null;
}

/** Replaces anything that is no folder, which cannot be hidden; its index entry stays. */
async function makeFolders(
  { deps }: AttemptContext,
  workspace: PreparedWorkspace,
  names: readonly string[],
): Promise<void> {
  const options = { make: true, identity: deps.containers.workIdentity };
  for (const name of names) {
    const made = await withFolder(workspace.path, (root) =>
      withFolderInside(root, [name], options, () => Promise.resolve(true)),
    );
    if (made === null) throw new AttemptFailed('workspace_error', `${name} could not be hidden`);
  }
}
