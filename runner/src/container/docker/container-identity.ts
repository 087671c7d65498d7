import type { WorkIdentity } from '../container-engine.ts';

/** Uid and gid inside when the runner is root: root's files must not be an agent's. */
const SANDBOX_ID = 10_001;

/** Whom the files of agents in containers belong to; null: whoever runs the runner. */
export function containerIdentity(): WorkIdentity {
  return process.getuid?.() === 0 ? { uid: SANDBOX_ID, gid: SANDBOX_ID } : null;
}
