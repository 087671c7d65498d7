import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { FolderHandle } from '../../agent-files/folder-handle.ts';
import { copyHead, putFile, withFolder, withFolderInside } from '../../agent-files/with-folder.ts';
import { walkFolder } from '../../agent-files/walk-folder.ts';
import type { WorkIdentity } from '../../container/container-engine.ts';
import type { EngineLaunch } from '../../engine/agent-engine.ts';
import type { HostDisk } from '../../workspace/disk/host-disk.ts';
import { ownFreshTree } from '../../workspace/disk/own-tree.ts';
import type { EngineHome } from '../companions/engine-place.ts';

/** The home inside a container; a plain process uses the host's path. */
export const CONTAINER_HOME = '/var/lib/switchyard/home';
/**
 * Limit on an issue's session files: enough to resume a thread, but an agent must not fill the
 * host's disk.
 */
const MAX_SESSION_BYTES = 256 * 1024 * 1024;
const MAX_SESSION_FILES = 5_000;
const MAX_ENTRIES = 20_000;

/** Path of an attempt's home: new each time, so that no agent can configure the next one. */
export function homePathOf(dataDir: string, ref: { attemptId: string; epoch: number }): string {
  return join(dataDir, 'homes', `${ref.attemptId}-${ref.epoch}`);
}

/**
 * Writes the engine's files, and the kept sessions when a thread is resumed. No container has seen
 * the folder yet.
 */
export async function createEngineHome(
  disk: HostDisk,
  home: EngineHome,
  options: { launch: Pick<EngineLaunch, 'files'>; withSessions: boolean; identity: WorkIdentity },
): Promise<void> {
  await disk.deleteTree(home.path);
  await mkdir(home.path, { recursive: true, mode: 0o700 });
  const made = await withFolder(home.path, async (root) => {
    for (const [name, text] of Object.entries(options.launch.files))
      await putFile(root, name, (file) => file.writeFile(text));
    return withFolderInside(root, stepsOf(home), { make: true }, async (sessions) => {
      if (options.withSessions)
        await withFolder(home.keptPath, (kept) => copyPlainFiles(kept, sessions));
      return true;
    });
  });
  if (made === null) throw new Error(`${home.path} could not be made`);
  await ownFreshTree(home.path, options.identity);
}

/** Called after the container has ended: keeps the sessions and deletes the rest. Idempotent. */
export async function closeEngineHome(disk: HostDisk, home: EngineHome): Promise<void> {
  const draft = `${home.keptPath}.new`;
  try {
    const kept = await withFolder(home.path, (root) =>
      withFolderInside(root, stepsOf(home), { make: false }, async (sessions) => {
        await disk.deleteTree(draft);
        await mkdir(draft, { recursive: true, mode: 0o700 });
        await withFolder(draft, (target) => copyPlainFiles(sessions, target));
        return true;
      }),
    );
    if (kept !== null) {
      await disk.deleteTree(home.keptPath);
      await rename(draft, home.keptPath);
    }
  } finally {
    await disk.deleteTree(home.path);
  }
}

/** An empty folder of this host, to be mounted read-only over hidden folders. */
export async function emptyFolder(dataDir: string): Promise<string> {
  const path = join(dataDir, 'empty');
  await mkdir(path, { recursive: true, mode: 0o755 });
  return path;
}

/** Removes secret files that the engine has read. Idempotent, also while the engine runs. */
export async function removeSecretFiles(
  home: EngineHome,
  secretFiles: readonly string[],
): Promise<void> {
  for (const path of secretFiles) {
    const steps = path.split('/');
    const name = steps.pop() ?? '';
    await withFolder(home.path, (root) =>
      withFolderInside(root, steps, { make: false }, (folder) => folder.remove(name)),
    );
  }
}

function stepsOf(home: EngineHome): string[] {
  return home.sessionsFolder.split('/');
}

/** Copies regular files and folders only: a symlink could point anywhere on this host. */
async function copyPlainFiles(from: FolderHandle, to: FolderHandle): Promise<void> {
  let leftBytes = MAX_SESSION_BYTES;
  let leftFiles = MAX_SESSION_FILES;
  for await (const { folder, name, path, kind } of walkFolder(from, { maxEntries: MAX_ENTRIES })) {
    if (kind !== 'file' || leftFiles <= 0) continue;
    const file = await folder.openFile(name);
    if (file === null) continue;
    try {
      const { size } = await file.stat();
      if (size > leftBytes) continue;
      leftBytes -= size;
      leftFiles -= 1;
      await putFile(to, path, (target) => copyHead(file, target, size));
    } finally {
      await file.close();
    }
  }
}
