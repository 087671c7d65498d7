import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { runnerCommand } from './local-runner.ts';

/** Runs a command of the runner program on this terminal; returns its exit code. */
export function passToRunner(args: string[]): Promise<number> {
  const { command, args: all } = runnerCommand(args);
  const child = spawn(command, all, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}
