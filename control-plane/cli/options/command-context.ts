import { plainText } from '@switchyard/shared/text/plain-text';
import type { Command } from 'commander';
import type { ShownLog } from './shown-log.ts';
import type { Redactor } from '../../src/ports/redactor.ts';
import type { ProcessLogger } from '../../src/admin/observability/create-logger.ts';

/** Services for every command. Results are written to `out`, everything else to `err`. */
export type CommandContext = {
  env: NodeJS.ProcessEnv;
  /** --json was given: both streams may contain nothing but JSON. */
  isJson: boolean;
  /** The part of the log that is shown, both of this process and of a runner beside it. */
  log: ShownLog;
  logger: ProcessLogger;
  /** Removes secrets from the log. */
  redactor: Redactor;
  workingFolder: string;
  out(text: string): void;
  err(text: string): void;
  /** Ends the command line with this exit code. */
  finish(code: number): void;
};

/** Adds one command, with its flags, to the command line. */
export type RegisterCommand = (program: Command, context: CommandContext) => void;

/** Text of a tracker, an agent or git without control sequences for a terminal. */
export function terminalText(text: string): string {
  return plainText(text);
}
