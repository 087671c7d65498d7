import { lstat, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { WorkIdentity } from '../container/container-engine.ts';
import type { EngineLaunch } from '../engine/agent-engine.ts';
import { copyNewer, filesBelow, makeFolders, own } from './copy-newer.ts';

/** Sessions of all issues together that operators can look at, newest first. */
const MAX_SESSION_BYTES = 512 * 1024 * 1024;

/** On the host; the same folder each time, so that names and archives of threads last. */
export function operatorHomePath(dataDir: string): string {
  return join(dataDir, 'operator', 'home');
}

/** Where attempts leave the sessions of their issues, one folder each. */
function keptSessionsPath(dataDir: string): string {
  return join(dataDir, 'sessions');
}

/** Changes whenever an attempt left sessions behind. */
export async function keptSessionsStamp(dataDir: string): Promise<number> {
  return (await lstat(keptSessionsPath(dataDir)).catch(() => null))?.mtimeMs ?? 0;
}

/**
 * Writes the engine's files and brings in the sessions that attempts left. Only while no engine
 * runs on it: nothing that a former one may have put in the way is followed. Answers the path.
 */
export async function prepareOperatorHome(
  dataDir: string,
  options: { launch: EngineLaunch; identity: WorkIdentity },
): Promise<string> {
  const { launch, identity } = options;
  const home = operatorHomePath(dataDir);
  await makeFolders(home, '.', identity);
  for (const [name, text] of Object.entries(launch.files)) {
    const path = join(home, name);
    if (relative(home, path).startsWith('..')) throw new Error(`engine file ${name} is outside`);
    await makeFolders(home, dirname(name), identity);
    await rm(path, { recursive: true, force: true });
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
    await own(path, identity);
  }
  await makeFolders(home, launch.sessionsFolder, identity);
  const kept = keptSessionsPath(dataDir);
  const entries = await readdir(kept, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.endsWith('.new'));
  const { archiveFolder } = launch;
  const archived = archiveFolder === undefined ? [] : await filesBelow(join(home, archiveFolder));
  await copyNewer(
    folders.map(({ name }) => join(kept, name)),
    join(home, launch.sessionsFolder),
    {
      maxBytes: MAX_SESSION_BYTES,
      except: new Set(archived.map(({ name }) => basename(name))),
      identity,
    },
  );
  return home;
}
