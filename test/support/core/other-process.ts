import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const TIMEOUT_MS = 30_000;

export type OtherProcess = {
  /** Resolves when the process has printed this line. */
  said(line: string): Promise<void>;
  /** Resolves when it has ended well; rejects with its words otherwise. */
  ended(): Promise<void>;
};

/** Runs one of the database programs beside this file as a process of its own. */
export function startOtherProcess(program: string, args: readonly string[]): OtherProcess {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
  });
  const lines: string[] = [];
  const waiting: { line: string; resolve: () => void }[] = [];
  let complaints = '';
  child.stderr.on('data', (bytes: Buffer) => (complaints += bytes.toString()));
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const waiter of waiting) if (waiter.line === line) waiter.resolve();
  });
  const exited = once(child, 'close').then(([code]) => {
    if (code !== 0) throw new Error(`${program} ended with ${String(code)}: ${complaints}`);
  });
  const ended = () => exited;
  return {
    ended,
    said: (line) =>
      Promise.race([
        new Promise<void>((resolve) => {
          if (lines.includes(line)) resolve();
          else waiting.push({ line, resolve });
        }),
        exited.then(() => {
          if (!lines.includes(line)) throw new Error(`${program} ended without saying ${line}`);
        }),
      ]),
  };
}
