import type { Logger } from '../../../ports.ts';
import { openBrowser } from '../open-browser.ts';
import { startBoth } from '../start-both.ts';
import { firstStopSignal } from '../stop-signals.ts';
import type { ServeFlags } from '../serve-flags.ts';
import { EXIT } from './common-options.ts';

/** A shutdown that takes longer than this is cut off. */
const SHUTDOWN_LIMIT_MS = 9_500;

/** `switchyard start`: serves until a signal; prints one line when it is ready. */
export async function start(
  flags: ServeFlags,
  input: { env: NodeJS.ProcessEnv; logger: Logger },
): Promise<number> {
  const stopped = firstStopSignal();
  const both = await startBoth(flags, { ...input, workingFolder: process.cwd() });
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
