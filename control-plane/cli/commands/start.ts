import { SCRIPTED_STANDING } from '@switchyard/shared/model-providers/scripted-model';
import { commandText, quoteWord } from '@switchyard/shared/text/command-text';
import { askPerson } from '../ask-person.ts';
import { untilLost } from '../hold-data-folder.ts';
import { offerImage } from '../offer-image.ts';
import { openBrowser } from '../open-browser.ts';
import { type Both, startBoth } from '../start-both.ts';
import { firstStopSignal } from '../first-stop-signal.ts';
import type { ServeFlags } from '../serve-flags.ts';
import { printStartReport } from '../output/print-start-report.ts';
import type { CommandContext, RegisterCommand } from '../options/command-context.ts';
import { serveOptions } from '../options/serve-options.ts';
import { CommandError } from '../client/command-error.ts';
import { EXIT } from '../client/exit.ts';
import { ServiceClient } from '../client/service-client.ts';
import type { ErrorTracker } from '../../src/ports/ports.ts';
import { describeFailure } from '../../src/http/describe-failure.ts';
import type { ProcessLogger } from '../../src/admin/observability/create-logger.ts';

/** How long the last reports may take before the process ends. */
const FLUSH_MS = 2_000;

type StartFlags = ServeFlags & { json?: boolean };

/** Timeout of a shutdown, milliseconds. */
const SHUTDOWN_LIMIT_MS = 9_500;

/**
 * `switchyard start`: serves until a signal. Announces that it is ready in one line for programs,
 * at a terminal in four for people.
 */
export const registerStart: RegisterCommand = (program, context) => {
  const command = program
    .command('start')
    .description('serve the control plane, with a runner beside it')
    .action(async (flags: StartFlags) => context.finish(await start(flags, context)));
  for (const option of serveOptions()) command.addOption(option);
  command
    .option('--json', 'when it serves, print its address and data folder as JSON, and nothing else')
    .option('--logs', 'show the log at a terminal, and beside --json');
};

/** Opens the dashboard; returns how to sign in, where it requires that. */
async function showDashboard(
  { controlPlane, dataDir }: Both,
  flags: ServeFlags,
  { env, err }: Pick<CommandContext, 'env' | 'err'>,
): Promise<string | null> {
  const url = await controlPlane.openingUrl();
  if (flags.open) openBrowser(url, { env, dataDir, say: err });
  if (url === controlPlane.url) return null;
  return commandText(`open --url ${controlPlane.url} --data-dir ${quoteWord(dataDir)}`, env);
}

/**
 * Prints that the service is ready. At a terminal the last lines wait for the runner, which reports
 * its isolation.
 */
async function printReady(
  both: Both,
  flags: StartFlags,
  context: CommandContext,
  signal: AbortSignal,
): Promise<void> {
  const { url } = both.controlPlane;
  const { dataDir } = both;
  if (context.isJson) context.out(`${JSON.stringify({ url, dataDir })}\n`);
  else if (!process.stdout.isTTY) context.out(`ready ${url}\n`);
  const signIn = await showDashboard(both, flags, context);
  if (context.isJson) return;
  const { engine } = await both.controlPlane.deps.config.load();
  if (engine.trial) context.err(`${SCRIPTED_STANDING}\n`);
  if (!process.stdout.isTTY) {
    if (signIn !== null) context.err(`the dashboard asks who you are: ${signIn}\n`);
    return;
  }
  const { host, port } = flags;
  await printStartReport({
    url,
    dataDir,
    signIn,
    signal,
    hasRunner: both.runner !== null,
    wantsProcesses: flags.sandbox === 'process',
    client: new ServiceClient({ url, host, port, dataDir }, context.env),
    say: (line) => context.out(`${line}\n`),
  });
}

async function start(flags: StartFlags, input: CommandContext): Promise<number> {
  const stopped = firstStopSignal();
  const both = await startBoth(flags, { ...input, workingFolder: process.cwd() }).catch(
    async (error: unknown) => {
      throw (await alreadyRunning(flags, error)) ?? error;
    },
  );
  exitOnUncaught(input.logger, both.controlPlane.deps.errors);
  const ended = new AbortController();
  const asking = printReady(both, flags, input, ended.signal).then(() =>
    input.isJson
      ? undefined
      : offerLocalImage(both, flags, { env: input.env, signal: ended.signal }),
  );
  // The error is reported where the promise is awaited below.
  asking.catch(() => {});
  const unusable = both.runner?.unusable.then(() => 'unusable' as const);
  const signal = await Promise.race([
    stopped,
    untilLost(both.lost, input.logger),
    ...(unusable === undefined ? [] : [unusable]),
  ]);
  ended.abort();
  const limit = setTimeout(() => {
    input.logger.error('stopping took too long');
    process.exit(EXIT.failed);
  }, SHUTDOWN_LIMIT_MS);
  await both.stop();
  await asking;
  clearTimeout(limit);
  if (signal === 'unusable') return EXIT.notConfigured;
  if (signal === 'lost') return EXIT.failed;
  return signal === 'SIGINT' ? EXIT.interrupted : EXIT.done;
}

/** Asks at a terminal whether to build the missing sandbox image. */
async function offerLocalImage(
  { controlPlane, dataDir }: Both,
  flags: ServeFlags,
  { env, signal }: { env: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<void> {
  const isTerminal = process.stdin.isTTY && process.stderr.isTTY;
  if (!isTerminal || !flags.runner || flags.sandbox !== 'auto' || flags.buildImage === true) return;
  const { host, port } = flags;
  await offerImage({
    client: new ServiceClient({ url: controlPlane.url, host, port, dataDir }, env),
    dataDir,
    signal,
    say: (text) => void process.stderr.write(`${text}\n`),
    askPerson: (question) => askPerson(question, { signal }),
  });
}

/** The error for a port that another Switchyard uses; null when another program does. */
async function alreadyRunning(flags: ServeFlags, error: unknown): Promise<CommandError | null> {
  if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) return null;
  const client = new ServiceClient(flags, {});
  if (!(await client.answers())) return null;
  return new CommandError(
    `Switchyard already runs at ${client.url}. Stop it first, ` +
      'or start another one with --port 0 and a --data-dir of its own.',
    EXIT.failed,
  );
}

/** Logs and reports an uncaught error before it ends the process. */
function exitOnUncaught(logger: ProcessLogger, errors: ErrorTracker): void {
  process.once('uncaughtException', (failure: Error) => void die(failure, logger, errors));
}

async function die(failure: Error, logger: ProcessLogger, errors: ErrorTracker): Promise<void> {
  logger.fatal('an error was not caught; the process ends', { error: describeFailure(failure) });
  errors.capture(failure, { operation: 'process' });
  await errors.flush(FLUSH_MS);
  process.exit(EXIT.failed);
}
