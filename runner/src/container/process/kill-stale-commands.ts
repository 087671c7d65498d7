import { randomUUID } from 'node:crypto';
import { findByEnvironment, sendSignal } from './process-identity.ts';

const NAME = 'SWITCHYARD_COMMAND';

/** Environment entry by which one command of a runner is found. */
export function commandMarker(runnerId: string): string {
  return `${NAME}=${runnerId}.${randomUUID()}`;
}

/** Kills remaining commands of a dead runner process; `running` are this process's own. */
export async function killStaleCommands(
  runnerId: string,
  running: ReadonlySet<string>,
): Promise<void> {
  const prefix = `${NAME}=${runnerId}.`;
  const stale = await findByEnvironment((entries) => {
    const marker = entries.find((entry) => entry.startsWith(prefix));
    return marker !== undefined && !running.has(marker);
  });
  for (const pid of stale) sendSignal(pid, 'SIGKILL');
}
