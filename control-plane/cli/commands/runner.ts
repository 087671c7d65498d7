import { passToRunner } from '../pass-to-runner.ts';
import type { RegisterCommand } from '../options/command-context.ts';

/**
 * `switchyard runner …`: starts the runner program with the same arguments and returns its exit
 * code.
 */
export const registerRunner: RegisterCommand = (program, context) => {
  program
    .command('runner')
    .description('run agents for a control plane (see: switchyard runner --help)')
    .helpOption(false)
    .allowUnknownOption()
    .argument('[arguments...]')
    .action(async (args: string[]) => context.finish(await passToRunner(args)));
};
