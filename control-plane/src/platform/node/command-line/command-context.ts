import { stripVTControlCharacters } from 'node:util';
import type { Command } from 'commander';
import type { Redactor } from '../../../observability/create-redactor.ts';
import type { ProcessLogger } from '../../../observability/create-logger.ts';

/** What every command is given. Results go to `out`, everything else to `err`. */
export type CommandContext = {
  env: NodeJS.ProcessEnv;
  logger: ProcessLogger;
  /** Knows what the log must not show. */
  redactor: Redactor;
  workingFolder: string;
  out(text: string): void;
  err(text: string): void;
  /** Ends the command line with this exit code. */
  finish(code: number): void;
};

/** Adds one command, with its flags, to the command line. */
export type RegisterCommand = (program: Command, context: CommandContext) => void;

/** Text of a tracker, an agent or git without anything that a terminal would obey. */
export function terminalText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return stripVTControlCharacters(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}
