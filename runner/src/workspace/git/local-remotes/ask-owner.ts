import { runProcess } from '../run-process.ts';
import { shownPath } from '../shown-path.ts';
import { WorkspaceError } from '../../workspace.ts';
import type { OpenRepository } from './open-repository.ts';

/** The program of `serve-folder.ts` with its environment. */
export type OwnerProgram = { program: string; env: Readonly<Record<string, string>>; cwd: string };

export type OwnerQuestion = 'hooks' | 'settings' | 'trusted' | 'unwritable' | 'deny' | 'checkouts';

const TIMEOUT_MS = 60_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * git's answer about a repository on this host with its owner's settings; nothing in it is run or
 * changed. Throws `repository_missing` without an answer.
 */
export async function askOwner(
  { path, descriptor }: OpenRepository,
  at: OwnerProgram,
  question: OwnerQuestion,
): Promise<string> {
  const { exitCode, stdout, outputExceeded } = await runProcess({
    file: at.program,
    args: [question],
    env: at.env,
    cwd: at.cwd,
    descriptor4: descriptor,
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_ANSWER_BYTES,
  });
  if (exitCode === 0 && !outputExceeded) return stdout.toString('utf8').replace(/\n$/, '');
  throw new WorkspaceError(
    'repository_missing',
    `${shownPath(path)} is no repository that git can read: run "git config --list" in it`,
  );
}
