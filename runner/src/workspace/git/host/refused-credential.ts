import { WorkspaceError } from '../../workspace.ts';
import { hostTrouble, saysNoAccess } from './host-trouble.ts';

/** The control plane gives no credentials to this runner now, and why. */
export type RefusedCredential = { refused: string };

/**
 * Throws where a host let nobody in whose credentials were refused here: that says nothing of the access
 * that the credentials would have, so it is not `host_auth_failed`.
 */
export function assertLetIn(
  remoteUrl: string,
  { exitCode, stderr }: { exitCode: number | null; stderr: string },
  { refused }: RefusedCredential,
): void {
  const isLocked = hostTrouble(remoteUrl, stderr) === 'host_auth_failed' || saysNoAccess(stderr);
  if (exitCode === 0 || !isLocked) return;
  throw notLetIn({ refused });
}

export function notLetIn({ refused }: RefusedCredential): WorkspaceError {
  return new WorkspaceError(
    'git_failed',
    `git had no credentials, which the control plane refused (${refused}), and the host asks for some`,
  );
}
