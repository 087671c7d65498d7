import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/**
 * Asks a question at the terminal; with `hidden` the answer is not echoed. Null without a terminal,
 * and when `signal` aborts. Ctrl-C signals the process as at any other time.
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
