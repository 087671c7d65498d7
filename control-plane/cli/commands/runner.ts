import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { runnerCommand } from '../local-runner.ts';
import type { RegisterCommand } from '../options/command-context.ts';

/** `switchyard runner …`: the runner program with the same arguments and its own exit code. */
export const registerRunner: RegisterCommand = (program, context) => {
  program
    .command('runner')
    .description('run agents for a control plane (see: switchyard runner --help)')
    .helpOption(false)
    .allowUnknownOption()
    .argument('[arguments...]')
    .action(async (args: string[]) => context.finish(await runner(args)));
};

function runner(args: string[]): Promise<number> {
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
