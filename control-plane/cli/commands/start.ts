import { SCRIPTED_STANDING } from '@switchyard/shared/engine/scripted-model';
import { commandText } from '@switchyard/shared/text/command-text';
import type { Redactor } from '../../src/observe/redaction/create-redactor.ts';
import type { ProcessLogger } from '../../src/observe/observability/create-logger.ts';
import { exitOnUncaught } from '../../src/platform/node/exit-on-uncaught.ts';
import { askPerson } from '../ask-person.ts';
import { untilLost } from '../hold-data-folder.ts';
import { offerImage } from '../offer-image.ts';
import { openBrowser } from '../open-browser.ts';
import { type Both, startBoth } from '../start-both.ts';
import { firstStopSignal } from '../stop-signals.ts';
import type { ServeFlags } from '../serve-flags.ts';
import type { RegisterCommand } from '../options/command-context.ts';
import { serveOptions } from '../options/serve-options.ts';
import { CommandError } from '../client/command-error.ts';
import { EXIT } from '../client/exit.ts';
import { ServiceClient } from '../client/service-client.ts';

type StartFlags = ServeFlags & { json?: boolean };

/** A shutdown that takes longer than this is cut off. */
const SHUTDOWN_LIMIT_MS = 9_500;

/** `switchyard start`: serves until a signal; prints one line when it is ready. */
export const registerStart: RegisterCommand = (program, context) => {
  const command = program
    .command('start')
    .description('serve the control plane, with a runner beside it')
    .action(async (flags: StartFlags) => context.finish(await start(flags, context)));
  for (const option of serveOptions()) command.addOption(option);
  command.option('--json', 'when it serves, print its address and data folder as JSON');
};

/** Opens the dashboard, or says how to, where it asks whoever comes to sign in. */
async function showDashboard(
  { controlPlane, dataDir }: Both,
  flags: ServeFlags,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const url = await controlPlane.openingUrl();
  if (flags.open) openBrowser(url, { env, dataDir });
  if (url === controlPlane.url) return;
  const open = commandText(`open --url ${controlPlane.url} --data-dir ${dataDir}`, env);
  process.stderr.write(`the dashboard asks who you are: ${open}\n`);
}

async function start(
  flags: StartFlags,
  input: { env: NodeJS.ProcessEnv; logger: ProcessLogger; redactor: Redactor },
): Promise<number> {
  const stopped = firstStopSignal();
  const both = await startBoth(flags, { ...input, workingFolder: process.cwd() }).catch(
    async (error: unknown) => {
      throw (await alreadyRunning(flags, error)) ?? error;
    },
  );
  exitOnUncaught(input.logger, both.controlPlane.deps.errors);
  const { url } = both.controlPlane;
  const ready =
    flags.json === true ? JSON.stringify({ url, dataDir: both.dataDir }) : `ready ${url}`;
  process.stdout.write(`${ready}\n`);
  const { engine } = await both.controlPlane.deps.config.load();
  if (engine.trial) process.stderr.write(`${SCRIPTED_STANDING}\n`);
  await showDashboard(both, flags, input.env);
  const ended = new AbortController();
  const asking = offerLocalImage(both, flags, { env: input.env, signal: ended.signal });
  const unusable = both.runner?.unusable.then(() => 'unusable' as const);
  const signal = await Promise.race([
    ...[stopped, untilLost(both.lost, input.logger)],
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

/** Asks at the terminal, where there is one, whether the missing sandbox image is to be built. */
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
    ...{ dataDir, signal },
    say: (text) => void process.stderr.write(`${text}\n`),
    askPerson: (question) => askPerson(question, { signal }),
  });
}

/** What to say when the port is taken by a Switchyard; null when it is by something else. */
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
