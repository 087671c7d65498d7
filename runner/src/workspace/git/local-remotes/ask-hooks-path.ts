import { resolve } from 'node:path';
import { runProcess } from '../run-process.ts';
import { WorkspaceError } from '../../workspace.ts';
import type { OpenRepository } from './open-repository.ts';

const TIMEOUT_MS = 60_000;
const MAX_PATH_BYTES = 64 * 1024;

/** Where the hooks of a repository lie, by its owner's own git and settings. */
export async function askHooksPath(
  program: string,
  { path, descriptor }: OpenRepository,
  at: { env: Readonly<Record<string, string>>; cwd: string },
): Promise<string> {
  const { exitCode, stdout } = await runProcess({
    ...{ file: program, args: ['hooks'], ...at, descriptor4: descriptor },
    ...{ timeoutMs: TIMEOUT_MS, maxOutputBytes: MAX_PATH_BYTES },
  });
  if (exitCode !== 0)
    throw new WorkspaceError(
      'repository_missing',
      'the remote is no git repository that its owner’s git can read: run "git config --list" in it',
    );
  return resolve(path, stdout.toString('utf8').replace(/\n$/, ''));
}
