import type { WorkIdentity } from './container-engine.ts';

/** Whom the files of agents as plain processes belong to; null: this runner can give nothing away. */
export function ownIdentity(): WorkIdentity {
  return process.getuid?.() === 0 ? { uid: 0, gid: process.getgid?.() ?? 0 } : null;
}

/** What this runner makes belongs to it already. */
export function isOwnIdentity(identity: WorkIdentity): boolean {
  const own = ownIdentity();
  return identity === null || (identity.uid === own?.uid && identity.gid === own.gid);
}
