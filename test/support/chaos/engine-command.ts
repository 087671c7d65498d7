import { basename } from 'node:path';
import { hostProgram } from '../../../runner/src/engine/parts/host-program.ts';
import { engineParts } from '../../../runner/src/engine/parts/engine-parts.ts';

/** Engines that are installed apart, as they are started on this host. */
const COMMANDS = engineParts().flatMap(({ name }) => {
  const command = hostProgram(name);
  return command === null ? [] : [command];
});

/** Whether a process is an agent engine: `program` is the file that it runs. */
export function isEngineCommand(program: string, argv: readonly string[]): boolean {
  if (basename(program).startsWith('codex') && argv.includes('app-server')) return true;
  return COMMANDS.some((command) => command.every((word, at) => argv[at] === word));
}
