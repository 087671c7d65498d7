import { WORKSPACE_TROUBLES } from '@switchyard/shared/reasons/needs-person';
import { WorkspaceError } from '../workspace.ts';

/** What git says where the machine is short of something, whatever the work is. */
const OF_MACHINE =
  /no space left|quota exceeded|input\/output error|read-only file system|cannot (?:allocate memory|fork)|out of memory|unable to create (?:thread|temporary file)|too many open files|died of signal|^killed\b|resource temporarily unavailable|interrupted system call/im;

/**
 * Whether a snapshot failed because of the work itself: the same work fails again, and only the
 * agent can change that. Not so where time ran out, the container or the disk had trouble, or the
 * workspace's .git is gone.
 */
export function isFaultOfWork(error: unknown): error is WorkspaceError {
  return error instanceof WorkspaceError && WORKSPACE_TROUBLES[error.code].ends === 'agent';
}

/** The failure of a git that looked at the work itself, from what it said. */
export function failureOfGit(message: string): WorkspaceError {
  return new WorkspaceError(OF_MACHINE.test(message) ? 'git_failed' : 'snapshot_refused', message);
}
