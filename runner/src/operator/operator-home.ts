import { lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FolderHandle } from '../agent-files/folder-handle.ts';
import { putFile, withFolder, withFolderInside } from '../agent-files/with-folder.ts';
import type { WorkIdentity } from '../container/container-engine.ts';
import type { EngineLaunch } from '../engine/agent-engine.ts';
import { ownUsedTree } from '../workspace/disk/own-tree.ts';
import { copyNewer, filesBelow, nameOf } from './copy-newer.ts';

/** Limit on sessions of all issues that operators can read, newest first. */
const MAX_SESSION_BYTES = 512 * 1024 * 1024;

/** Path on the host; the same folder each time, so that names and archives of threads persist. */
export function operatorHomePath(dataDir: string): string {
  return join(dataDir, 'operator', 'home');
}

/** Where attempts leave their issues' sessions, one folder each. */
function keptSessionsPath(dataDir: string): string {
  return join(dataDir, 'sessions');
}

/** Changes whenever an attempt leaves sessions. */
export async function keptSessionsStamp(dataDir: string): Promise<number> {
  return (await lstat(keptSessionsPath(dataDir)).catch(() => null))?.mtimeMs ?? 0;
}

/**
 * Writes the engine's files and copies the sessions that attempts left. Call it only while no
 * engine uses the home: nothing that a former one put in the way is followed. Returns the path.
 */
export async function prepareOperatorHome(
  dataDir: string,
  options: { launch: EngineLaunch; identity: WorkIdentity },
): Promise<string> {
  const path = operatorHomePath(dataDir);
  await mkdir(path, { recursive: true, mode: 0o700 });
  // An engine in another isolation, or one that was killed, may have written in it.
  await ownUsedTree(path, options.identity, { isKnown: false });
  const done = await withFolder(path, async (home) => {
    await fill(home, keptSessionsPath(dataDir), options);
    return true;
  });
  if (done === null) throw new Error(`${path} is no folder: remove it`);
  return path;
}

async function fill(
  home: FolderHandle,
  keptPath: string,
  { launch, identity }: { launch: EngineLaunch; identity: WorkIdentity },
): Promise<void> {
  for (const [name, text] of Object.entries(launch.files))
    await putFile(home, name, (file) => file.writeFile(text), identity);
  const { archiveFolder, sessionsFolder } = launch;
  const archived =
    archiveFolder === undefined
      ? []
      : await withFolderInside(home, archiveFolder.split('/'), { make: false }, filesBelow);
  const entries = await readdir(keptPath, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.endsWith('.new'));
  const make = { make: true, identity };
  await withFolderInside(home, sessionsFolder.split('/'), make, (sessions) =>
    copyNewer(
      folders.map(({ name }) => join(keptPath, name)),
      sessions,
      {
        maxBytes: MAX_SESSION_BYTES,
        except: new Set((archived ?? []).map((file) => nameOf(file.path))),
        identity,
      },
    ),
  );
}
