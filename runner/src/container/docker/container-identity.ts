import type { WorkIdentity } from '../container-engine.ts';

/** Uid and gid inside when the runner is root: agents' files must not belong to root. */
const SANDBOX_ID = 10_001;

/** Owner of the files of agents in containers; null: the runner's own user. */
export function containerIdentity(): WorkIdentity {
  return process.getuid?.() === 0 ? { uid: SANDBOX_ID, gid: SANDBOX_ID } : null;
}
