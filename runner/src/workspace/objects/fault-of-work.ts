import { WORKSPACE_TROUBLES } from '@switchyard/shared/reasons/needs-person';
import { WorkspaceError } from '../workspace.ts';

/** git's messages about a lack of machine resources, independent of the work. */
const OF_MACHINE =
  /no space left|quota exceeded|input\/output error|read-only file system|cannot (?:allocate memory|fork)|out of memory|unable to create (?:thread|temporary file)|too many open files|died of signal|^killed\b|resource temporarily unavailable|interrupted system call/im;

/**
 * Whether a snapshot failed because of the work itself, so that only the agent can fix it. False
 * for a timeout, failures of the container or disk, or a missing .git.
 */
export function isFaultOfWork(error: unknown): error is WorkspaceError {
  return error instanceof WorkspaceError && WORKSPACE_TROUBLES[error.code].ends === 'agent';
}

/** The error for a git command that examined the work, from its message. */
export function failureOfGit(message: string): WorkspaceError {
  return new WorkspaceError(OF_MACHINE.test(message) ? 'git_failed' : 'snapshot_refused', message);
}
