import type { Redactor } from '../../../observability/create-redactor.ts';
import type { ProcessLogger } from '../../../observability/create-logger.ts';
import { dieOfUncaught } from '../die-of-uncaught.ts';
import { openBrowser } from '../open-browser.ts';
import { startBoth } from '../start-both.ts';
import { firstStopSignal } from '../stop-signals.ts';
import type { ServeFlags } from '../serve-flags.ts';
import type { RegisterCommand } from './command-context.ts';
import { serveOptions } from './common-options.ts';
import { EXIT } from '../client/exit-codes.ts';

/** A shutdown that takes longer than this is cut off. */
const SHUTDOWN_LIMIT_MS = 9_500;

/** `switchyard start`: serves until a signal; prints one line when it is ready. */
export const registerStart: RegisterCommand = (program, context) => {
  const command = program
    .command('start')
    .description('serve the control plane, with a runner beside it')
    .action(async (flags: ServeFlags) => context.finish(await start(flags, context)));
  for (const option of serveOptions()) command.addOption(option);
};

async function start(
  flags: ServeFlags,
  input: { env: NodeJS.ProcessEnv; logger: ProcessLogger; redactor: Redactor },
): Promise<number> {
  const stopped = firstStopSignal();
  const both = await startBoth(flags, { ...input, workingFolder: process.cwd() });
  dieOfUncaught(input.logger, both.controlPlane.deps.errors);
  process.stdout.write(`ready ${both.controlPlane.url}\n`);
  if (flags.open) openBrowser(both.controlPlane.url, input.env);
  const signal = await stopped;
  const limit = setTimeout(() => {
    input.logger.error('stopping took too long');
    process.exit(EXIT.failed);
  }, SHUTDOWN_LIMIT_MS);
  await both.stop();
  clearTimeout(limit);
  return signal === 'SIGINT' ? EXIT.interrupted : EXIT.done;
}
