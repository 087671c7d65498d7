import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/**
 * Asks at the terminal; `hidden` shows nothing of the answer. Null where there is no terminal, and
 * when `signal` aborts. Ctrl-C is a signal to the process as at any other time.
 */
export async function askPerson(
  question: string,
  { hidden = false, signal }: { hidden?: boolean; signal?: AbortSignal } = {},
): Promise<string | null> {
  const isOver = () => signal?.aborted === true;
  if (!process.stdin.isTTY || !process.stderr.isTTY || isOver()) return null;
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({
    input: process.stdin,
    output: hidden ? nowhere : process.stderr,
    terminal: true,
  });
  terminal.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return (await terminal.question('', signal === undefined ? {} : { signal })).trim();
  } catch (error) {
    if (isOver()) return null;
    throw error;
  } finally {
    terminal.close();
    if (hidden) process.stderr.write('\n');
  }
}
