import { messageOf } from '@switchyard/shared/message-of';
import { EXIT } from '../../../control-plane/cli/client/exit.ts';
import { isWrongUse } from './wrong-use.ts';

/** Standard output belongs to the result; all else is said here. */
export const say = (line: string) => void process.stderr.write(`${line}\n`);

/**
 * Runs a command of the tests and sets the exit code: 0 when `main` says that all is good, 1 when
 * not or when it throws, 2 for wrong use. What is thrown is said in one line.
 */
export async function runCommand(name: string, main: () => Promise<boolean>): Promise<void> {
  try {
    process.exitCode = (await main()) ? EXIT.done : EXIT.failed;
  } catch (error) {
    say(`${name}: ${messageOf(error)}`);
    process.exitCode = isWrongUse(error) ? EXIT.usage : EXIT.failed;
  }
}

/** Ctrl-C or a polite kill ends the process, after `close` when something must be put away. */
export function endWhenInterrupted(close: () => Promise<void> = () => Promise.resolve()): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      say(`ended by ${signal}`);
      void close().finally(() => process.exit(EXIT.interrupted));
    });
  }
}
