import { chmod, cp, lstat, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { WorkIdentity } from '../container/container-engine.ts';
import type { EngineLaunch } from '../engine/agent-engine.ts';
import { ownTree } from '../workspace/own-tree.ts';

/** Session files of one issue: enough to resume a thread; an agent must not fill the host's disk. */
const MAX_SESSION_BYTES = 256 * 1024 * 1024;

export type EngineHome = {
  /** On the host. */
  path: string;
  /** Below `path`, as the engine named it. */
  sessionsFolder: string;
  /** Where the sessions are kept between attempts. */
  keptPath: string;
};

/** The home of an attempt: fresh each time, so that no agent configures the next one. */
export function homePathOf(dataDir: string, ref: { attemptId: string; epoch: number }): string {
  return join(dataDir, 'homes', `${ref.attemptId}-${ref.epoch}`);
}

/** Writes the engine's files, and the kept sessions when a thread is to be resumed. */
export async function createEngineHome(
  home: EngineHome,
  options: { launch: EngineLaunch; withSessions: boolean; identity: WorkIdentity },
): Promise<void> {
  await rm(home.path, { recursive: true, force: true });
  await mkdir(home.path, { recursive: true, mode: 0o700 });
  for (const [name, text] of Object.entries(options.launch.files)) {
    const path = resolve(home.path, name);
    if (relative(home.path, path).startsWith('..'))
      throw new Error(`engine file ${name} is outside its home`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { mode: 0o600 });
  }
  const sessions = join(home.path, home.sessionsFolder);
  await mkdir(sessions, { recursive: true });
  if (options.withSessions) await copyRegularFiles(home.keptPath, sessions);
  await ownTree(home.path, options.identity);
}

/** After the container's end: keeps the sessions, then deletes the rest. Safe to repeat. */
export async function closeEngineHome(home: EngineHome): Promise<void> {
  const sessions = join(home.path, home.sessionsFolder);
  try {
    if ((await isFolder(sessions)) && (await isFolder(dirname(sessions)))) {
      const draft = `${home.keptPath}.new`;
      await rm(draft, { recursive: true, force: true });
      await mkdir(draft, { recursive: true, mode: 0o700 });
      await copyRegularFiles(sessions, draft);
      await rm(home.keptPath, { recursive: true, force: true });
      await rename(draft, home.keptPath);
    }
  } finally {
    await removeHome(home.path);
  }
}

/** A folder that its owner made unreadable is opened first. */
async function removeHome(path: string): Promise<void> {
  await chmod(path, 0o700).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rm(path, { recursive: true, force: true, maxRetries: 3 });
}

/** Only plain files and folders cross: a symlink could name anything on this host. */
async function copyRegularFiles(from: string, to: string): Promise<void> {
  if (!(await isFolder(from))) return;
  let leftBytes = MAX_SESSION_BYTES;
  await cp(from, to, {
    recursive: true,
    force: true,
    filter: async (source) => {
      const found = await lstat(source);
      if (found.isFile()) leftBytes -= found.size;
      return found.isDirectory() || (found.isFile() && leftBytes >= 0);
    },
  });
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
