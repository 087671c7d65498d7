import type { WorkIdentity } from './container-engine.ts';

/**
 * Owner of the files of agents that run as plain processes; null: this runner cannot change owners.
 */
export function ownIdentity(): WorkIdentity {
  return process.getuid?.() === 0 ? { uid: 0, gid: process.getgid?.() ?? 0 } : null;
}

/** Whether an identity is the runner's own, so that no owner must be changed. */
export function isOwnIdentity(identity: WorkIdentity): boolean {
  const own = ownIdentity();
  return identity === null || (identity.uid === own?.uid && identity.gid === own.gid);
}
