import { WorkspaceError } from '../../workspace.ts';
import { hostTrouble, saysNoAccess } from './host-trouble.ts';

/** Why the control plane gives this runner no credentials now. */
export type RefusedCredential = { refused: string };

/**
 * Throws when a host refused access and the credentials had been refused here: that says nothing
 * about the credentials' access, so the code is not `host_auth_failed`.
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
