import { plainText } from '@switchyard/shared/text/plain-text';
import type { Command } from 'commander';
import type { ShownLog } from './shown-log.ts';
import type { Redactor } from '../../src/ports/redactor.ts';
import type { ProcessLogger } from '../../src/admin/observability/create-logger.ts';

/** What every command is given. Results go to `out`, everything else to `err`. */
export type CommandContext = {
  env: NodeJS.ProcessEnv;
  /** Asked for JSON: nothing else may stand on either stream. */
  isJson: boolean;
  /** What of the log is shown, its own and that of a runner beside it. */
  log: ShownLog;
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
  return plainText(text);
}
