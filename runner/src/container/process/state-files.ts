import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Exit status recorded for an engine that the dead-man's switch stopped because its lease was not
 * renewed; it replaces the engine's own status.
 */
export const EXIT_EXPIRED = 143;

/** Path of one of an attempt's files in its state folder. */
export const stateFile = (
  folder: string,
  name: 'stdin' | 'stdout.log' | 'stderr.log' | 'engine.pid' | 'expired' | 'exit',
): string => join(folder, name);

/** Exit status written by the wrapper; null while there is none. */
export async function readExitCode(folder: string): Promise<number | null> {
  const text = await readFile(stateFile(folder, 'exit'), 'utf8').catch(() => '');
  return /^\d+\n$/.test(text) ? Number(text) : null;
}

/** The engine's process number; null before it has started. */
export async function readEnginePid(folder: string): Promise<number | null> {
  const text = await readFile(stateFile(folder, 'engine.pid'), 'utf8').catch(() => '');
  return /^\d+\n$/.test(text) ? Number(text) : null;
}
