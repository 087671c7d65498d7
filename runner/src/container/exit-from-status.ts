import { constants } from 'node:os';
import type { ContainerExit } from './container-engine.ts';

/** Converts a status in which 128 + n means "killed by signal n" into an exit. Null: not known. */
export function exitFromStatus(
  status: number | null,
  { oom = false }: { oom?: boolean } = {},
): ContainerExit {
  const number = status === null ? 0 : status - 128;
  const name = Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  return { exitCode: status, signal: name ?? null, oom };
}
