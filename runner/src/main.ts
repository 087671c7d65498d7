import { productVersion } from '@switchyard/shared/product-version';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import { WireApi } from '@switchyard/shared/model-providers/wire-api';
import { HostRule } from '@switchyard/shared/sandbox/host-rule';
import { errorDocument, wantsJson } from '@switchyard/shared/settings/wants-json';
import { takeSecretVariables } from '@switchyard/shared/settings/take-secret-variables';
import {
  BadVariable,
  takeValuesFromFiles,
} from '@switchyard/shared/settings/take-values-from-files';
import { escapeUnseen } from '@switchyard/shared/text/escape-unseen';
import { machineTrouble } from '@switchyard/shared/text/machine-trouble';
import { messageOf } from '@switchyard/shared/message-of';
import { type CachesFlags, cachesCommand, parseDays } from './caches-command.ts';
import { checkMachine } from './check-machine.ts';
import { chooseSandbox, SandboxMissing } from './sandbox/choose-sandbox.ts';
import {
  SANDBOXES,
  defaultDataDir,
  defaultName,
  agentsText,
  defaultSlots,
  folderSettings,
  imageSettings,
  parseLabels,
  parseSlots,
  takeJoinFromEnvironment,
} from './run-options.ts';
import type { RunOptions, SandboxChoice } from './run-options.ts';
import type { BuildImageFlags } from './container/docker/image/build-image-command.ts';
import { buildImageCommand } from './container/docker/image/build-image-command.ts';
import { BadEngineList, parseEngines } from './container/docker/image/engine-labels.ts';
import { ImageCancelled, ImageFailed } from './container/docker/image/image-failed.ts';
import { DEFAULT_BASE_IMAGE } from './container/docker/image/provide-image.ts';
import type { DownloadFlags, EngineWork, InstallFlags } from './engine/install-engine.ts';
import { EngineMissing } from './engine/parts/engine-missing.ts';
import {
  BadAgents,
  type ConfiguredAgent,
  readConfiguredAgents,
} from './engine/acp/profiles/configured/configured-agents.ts';
import { UnknownEngine } from './engine-check/unknown-engine.ts';
import { systemClock } from './connection/clock.ts';
import { BadProxy } from './connection/proxy/bad-proxy.ts';
import { plainAddressWarning } from './connection/plain-address-warning.ts';
import { stderrLog } from './log.ts';
import { chooseIdentity } from './choose-identity.ts';
import { loadIdentity } from './identity.ts';
import { JoinRefused, joinControlPlane } from './join-control-plane.ts';
import type { RunnerDeps, RunnerEnd, RunnerSignals } from './run-runner.ts';
import { BadFolder } from './workspace/git/local-remotes/bad-folder.ts';
import { watchParent } from './watch-parent.ts';

/** Exit codes as documented for the whole command line. */
const EXIT = { done: 0, failed: 1, usage: 2, notConfigured: 3, interrupted: 130 } as const;
/** Time after which the process ends, whatever hangs. */
const EXIT_TIMEOUT_MS = 8_500;

/** Errors that mean a missing setting or part. */
const UNCONFIGURED = [
  JoinRefused,
  SandboxMissing,
  EngineMissing,
  BadVariable,
  BadEngineList,
  BadAgents,
  UnknownEngine,
  BadProxy,
  BadFolder,
];

/** With JSON output nothing else may be written to either stream. */
const isJson = wantsJson(process.argv.slice(2));
const log = stderrLog(isJson ? { LOG_LEVEL: 'fatal' } : process.env);

/** Prints progress and other text for people. */
function tell(text: string): void {
  if (!isJson) process.stderr.write(escapeUnseen(text));
}

type JoinFlags = {
  token: string;
  name: string;
  labels: string[];
  dataDir: string;
  json?: boolean;
};
type CheckFlags = {
  dataDir: string;
  image?: string;
  engine?: string[];
  sandbox: SandboxChoice;
  json?: boolean;
};
type CheckEngineFlags = {
  provider: string;
  agents?: string;
  wireApi?: WireApi;
  sandbox: SandboxChoice;
  image?: string;
};
type RunFlags = {
  dataDir: string;
  slots: number;
  labels?: string[];
  sandbox: SandboxChoice;
  image?: string;
  baseImage?: string;
  buildImage?: boolean;
  engine?: string[];
  acceptLicence?: boolean;
  allowImage: string[];
  allowPrivateHost: string[];
  allowFolder: string[];
  agents?: string;
  signingKey?: string;
  stopAttemptsOnExit: boolean;
};

async function join(url: string, flags: JoinFlags): Promise<number> {
  const { token, name, labels } = flags;
  const dataDir = resolve(flags.dataDir);
  const { requireOwnFolderFree } = await import('./connection/journal/hold-own-folder.ts');
  await requireOwnFolderFree(dataDir);
  const identity = await joinControlPlane({
    url,
    token,
    name,
    labels,
    dataDir,
    version: productVersion,
  });
  const { controlPlaneUrl, runnerId } = identity;
  warnOfPlainAddress(controlPlaneUrl);
  const text = `joined ${controlPlaneUrl} as ${runnerId}`;
  const answer = flags.json === true ? JSON.stringify({ controlPlaneUrl, runnerId }) : text;
  process.stdout.write(`${answer}\n`);
  return EXIT.done;
}

function warnOfPlainAddress(controlPlaneUrl: string): void {
  const warning = plainAddressWarning(controlPlaneUrl);
  if (warning !== null) log.warn(warning);
}

async function check(flags: CheckFlags): Promise<number> {
  const image = flags.image ?? imageSettings(process.env).image;
  const needsDocker = flags.sandbox === 'docker';
  const engines = flags.engine ?? imageSettings(process.env).engines ?? [];
  const dataDir = resolve(flags.dataDir);
  const checks = await checkMachine({ dataDir, image, engines, needsDocker });
  const lines = checks.map(({ name, status, detail, fix }) => {
    const todo = fix === null ? '' : `\n      ${fix}`;
    return `${status.padEnd(5)} ${name}: ${detail}${todo}\n`;
  });
  const text = flags.json === true ? `${JSON.stringify({ checks })}\n` : lines.join('');
  process.stdout.write(escapeUnseen(text));
  return checks.some(({ status }) => status === 'fail') ? EXIT.failed : EXIT.done;
}

async function checkEngine(name: string, flags: CheckEngineFlags): Promise<number> {
  const agents = await configuredAgents(flags.agents);
  const { checkEngineCommand } = await import('./engine-check/check-engine-command.ts');
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  return (await checkEngineCommand(name, { ...flags, agents }, print)) ? EXIT.done : EXIT.failed;
}

async function showCaches(flags: CachesFlags): Promise<number> {
  process.stdout.write(escapeUnseen(await cachesCommand(flags, Date.now())));
  return EXIT.done;
}

async function buildImage(flags: BuildImageFlags): Promise<number> {
  const stop = new AbortController();
  const signal = stopOnSignals(stop);
  const print = (line: string) => void (isJson || process.stdout.write(`${escapeUnseen(line)}\n`));
  try {
    const image = await buildImageCommand(flags, { signal: stop.signal, print });
    if (flags.json === true) process.stdout.write(`${JSON.stringify({ image })}\n`);
    return EXIT.done;
  } catch (error) {
    if (error instanceof ImageCancelled && signal() === 'SIGINT') return EXIT.interrupted;
    throw error;
  }
}

async function installEngineHere(name: string, flags: InstallFlags): Promise<number> {
  const { installEngine } = await import('./engine/install-engine.ts');
  return await atEngines(async (how) => {
    const engine = await installEngine(name, flags, how);
    return flags.json === true ? JSON.stringify({ engine }) : (engine.path ?? engine.name);
  });
}

async function downloadEngineTo(
  name: string,
  folder: string,
  flags: DownloadFlags,
): Promise<number> {
  const { downloadEngine } = await import('./engine/install-engine.ts');
  return await atEngines(async (how) => {
    await downloadEngine(name, resolve(folder), flags, how);
    return resolve(folder);
  });
}

/** Prints progress to standard error and the result of `work` to standard output. */
async function atEngines(work: (how: EngineWork) => Promise<string>): Promise<number> {
  const stop = new AbortController();
  const signal = stopOnSignals(stop);
  const print = (line: string) => tell(`${line}\n`);
  const { UnknownPart } = await import('./engine/install-engine.ts');
  try {
    const text = await work({ signal: stop.signal, print });
    process.stdout.write(`${escapeUnseen(text)}\n`);
    return EXIT.done;
  } catch (error) {
    if (stop.signal.aborted && signal() === 'SIGINT') return EXIT.interrupted;
    if (!(error instanceof UnknownPart)) throw error;
    if (!isJson) tell(`error: ${error.message}\n`);
    else process.stdout.write(escapeUnseen(errorDocument(error.message, EXIT.usage)));
    return EXIT.usage;
  }
}

async function showEngines({ json }: { json?: boolean }): Promise<number> {
  const { engineListText, listEngines } = await import('./engine/install-engine.ts');
  const engines = listEngines();
  process.stdout.write(
    json === true ? `${JSON.stringify({ engines })}\n` : escapeUnseen(engineListText(engines)),
  );
  return EXIT.done;
}

async function run(flags: RunFlags): Promise<number> {
  const fromEnvironment = takeJoinFromEnvironment(process.env);
  const stop = new AbortController();
  // Watched from the beginning: this runner must end when the control plane that started it is
  // killed. Without its process id no parent is watched: URL and token say where to join.
  const orphaned =
    fromEnvironment?.parentPid === undefined
      ? null
      : watchParent(systemClock(), stop.signal, () => process.ppid, fromEnvironment.parentPid);
  // Imported only here: without its native package this ends with a message.
  const { runRunner } = await import('./run-runner.ts');
  const startCommand =
    fromEnvironment?.parentPid === undefined ? 'runner' : fromEnvironment.parentCommand;
  const options: RunOptions = {
    dataDir: resolve(flags.dataDir),
    slots: flags.slots,
    labels: flags.labels,
    sandbox: flags.sandbox,
    ...imageSettings(process.env),
    ...(flags.image === undefined ? {} : { image: flags.image }),
    ...(flags.baseImage === undefined ? {} : { baseImage: flags.baseImage }),
    ...(flags.buildImage === undefined ? {} : { buildImage: flags.buildImage }),
    ...(flags.engine === undefined ? {} : { engines: flags.engine }),
    acceptLicence: flags.acceptLicence === true,
    allowImages: flags.allowImage,
    anyBaseImage: fromEnvironment?.parentPid !== undefined,
    allowPrivateHosts: flags.allowPrivateHost,
    allowFolders: flags.allowFolder.length > 0 ? flags.allowFolder : folderSettings(process.env),
    ...(startCommand === undefined ? {} : { startCommand }),
    agents: await configuredAgents(flags.agents),
    signingKeyPath: flags.signingKey === undefined ? undefined : resolve(flags.signingKey),
    stopAttemptsOnExit: flags.stopAttemptsOnExit,
  };
  log.info('the runner starts', { version: productVersion });
  const signal = stopOnSignals(stop);
  const folder = await import('./connection/journal/hold-own-folder.ts');
  const { dataDir } = options;
  const join = fromEnvironment;
  if (join === null && (await loadIdentity(dataDir)) === null) {
    await folder.requireOwnFolderFree(dataDir);
    return sayNotJoined(dataDir);
  }
  const held = {
    dataDir,
    clock: systemClock(),
    log,
    keeperPid: fromEnvironment?.parentPid,
    ...(orphaned === null ? {} : { orphaned }),
  };
  // Locked before the identity is chosen: a running runner must not join again.
  const hold = await folder.holdOwnFolder(held, stop.signal);
  if (hold === null) return signal() === 'SIGINT' ? EXIT.interrupted : EXIT.done;
  const { lost } = hold;
  lost.addEventListener('abort', () => {
    log.error('this runner ends, and leaves its attempts to the one that has its folder now', {
      why: messageOf(lost.reason),
    });
    stop.abort();
  });
  try {
    const end = await serve({ options, join, runRunner }, { stop: stop.signal, orphaned, lost });
    if (end === 'not_joined') return sayNotJoined(dataDir);
    if (end === 'revoked') return EXIT.notConfigured;
    if (lost.aborted) return EXIT.failed;
    return signal() === 'SIGINT' ? EXIT.interrupted : EXIT.done;
  } finally {
    hold.release();
  }
}

function sayNotJoined(dataDir: string): number {
  log.error(
    `this runner has joined no control plane yet: get a token there, then run: runner join URL --token TOKEN --data-dir ${dataDir}`,
  );
  return EXIT.notConfigured;
}

async function serve(
  input: {
    options: RunOptions;
    join: ReturnType<typeof takeJoinFromEnvironment>;
    runRunner: (deps: RunnerDeps, signals: RunnerSignals) => Promise<RunnerEnd>;
  },
  signals: RunnerSignals,
): Promise<RunnerEnd | 'not_joined'> {
  const { options, join, runRunner } = input;
  const { stop } = signals;
  const stopped = new Promise<'stopped'>((end) =>
    stop.addEventListener('abort', () => end('stopped'), { once: true }),
  );
  const identity = await Promise.race([chooseIdentity(options, join, log), stopped]);
  if (identity === 'stopped') return identity;
  if (identity === null) return 'not_joined';
  warnOfPlainAddress(identity.controlPlaneUrl);
  const sandbox = await chooseSandbox(options, log, stop);
  const where = `${identity.controlPlaneUrl} slots=${options.slots} sandbox=${sandbox.containers.isolation}`;
  const ready = () => void process.stdout.write(`runner ready ${identity.runnerId} ${where}\n`);
  let end: RunnerEnd;
  try {
    end = await runRunner({ identity, options, sandbox, log, ready }, signals);
  } finally {
    await sandbox.close();
  }
  if (end === 'revoked') {
    log.error('the control plane revoked this runner; join again with a new token');
  }
  return end;
}

/** Agents that the operator defines. Throws BadAgents that names the problem. */
async function configuredAgents(file: string | undefined): Promise<ConfiguredAgent[]> {
  let text: string | null;
  try {
    text = agentsText(file, process.env);
  } catch (error) {
    throw new BadAgents(`--agents ${file}: the file cannot be read (${messageOf(error)})`, error);
  }
  if (text === null) return [];
  const { allEngines } = await import('./engine/engines.ts');
  return readConfiguredAgents(
    text,
    allEngines().map(({ name }) => name),
  );
}

/**
 * Stops politely on the first signal and its repeats, since npm and a terminal may send it three
 * times.
 */
function stopOnSignals(stop: AbortController): () => NodeJS.Signals | null {
  let first: NodeJS.Signals | null = null;
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (first !== null) return;
      first = name;
      stop.abort();
      setTimeout(() => {
        log.error('stopping took too long');
        process.exit(EXIT.failed);
      }, EXIT_TIMEOUT_MS).unref();
    });
  }
  return () => first;
}

const ENGINES_WORDS =
  'agent engines that the sandbox image has to have, comma-separated (default when built: codex)';

/** Parses a private host that agents may reach. */
function parseHosts(text: string): string {
  const parsed = HostRule.safeParse(text);
  if (!parsed.success) throw new Error(`--allow-private-host ${text}: not a host`);
  return parsed.data;
}

/** Makes commander report a bad value as a usage error. */
function checked<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      throw new CommanderError(EXIT.usage, 'bad_value', messageOf(error));
    }
  };
}

function program(finish: (work: Promise<number>) => Promise<void>): Command {
  const dataDir = new Option('--data-dir <folder>', 'where everything is kept').default(
    defaultDataDir(),
  );
  const labels = new Option(
    '--labels <list>',
    'comma-separated, narrowed by the control plane',
  ).argParser(checked(parseLabels));
  const engines = () =>
    new Option('--engine <list>', ENGINES_WORDS).argParser(checked(parseEngines));
  const accept = () => new Option('--accept-licence', 'accept the terms of proprietary engines');
  const command = new Command('runner')
    .description('Runs coding agents for a Switchyard control plane.')
    .version(productVersion)
    .exitOverride();
  // Commands inherit this on creation; errors are then printed as JSON.
  if (isJson) command.configureOutput({ writeErr: () => {} });
  command
    .command('join <url>')
    .description('make this host a runner of a control plane, once')
    .requiredOption('--token <token>', 'one-time token from the control plane')
    .option('--name <name>', 'shown to people', defaultName())
    .addOption(
      new Option(labels.flags, labels.description).argParser(checked(parseLabels)).default([]),
    )
    .addOption(dataDir)
    .option('--json', 'print JSON and nothing else')
    .action((url: string, flags: JoinFlags) => finish(join(url, flags)));
  command
    .command('check')
    .description('what this machine has for running agents')
    .addOption(dataDir)
    .option('--image <tag>', 'sandbox image, when not the one that build-image makes')
    .addOption(engines())
    .addOption(
      new Option('--sandbox <kind>', 'isolation that agents are to have; docker: fail without it')
        .choices(SANDBOXES)
        .default('auto'),
    )
    .option('--json', 'print JSON and nothing else')
    .action((flags: CheckFlags) => finish(check(flags)));
  command
    .command('check-engine <name>', { hidden: true })
    .description('hold an agent engine against its contract (see: switchyard engine check)')
    .requiredOption('--provider <url>', 'a provider that follows the script of the checks')
    .option('--agents <file>', 'agents of your own, as TOML')
    .addOption(
      new Option('--wire-api <format>', 'format to ask the provider in').choices(WireApi.options),
    )
    .addOption(new Option('--sandbox <kind>', 'isolation').choices(SANDBOXES).default('auto'))
    .option('--image <tag>', 'sandbox image, when not the one that build-image makes')
    .action((name: string, flags: CheckEngineFlags) => finish(checkEngine(name, flags)));
  command
    .command('build-image')
    .description("build the image in which agents run, for the Docker daemon's architecture")
    .option('--tag <name>', 'name of the image (default: named by its content)')
    .option(
      '--base-image <name>',
      'Debian image to build on',
      imageSettings(process.env).baseImage ?? DEFAULT_BASE_IMAGE,
    )
    .option('--build-image <name>', 'image that compiles the shim (default: the base image)')
    .addOption(engines())
    .addOption(accept())
    .option('--cache-dir <folder>', 'where fetched packages are kept')
    .option('--force', 'build even when the image is present', false)
    .option('--json', 'print JSON and nothing else')
    .addHelpText(
      'after',
      '\nDOCKER_HOST chooses the daemon. Node and the engine come through npm, Debian packages from the\nmirror that the base image names.',
    )
    .action((flags: BuildImageFlags) => finish(buildImage(flags)));
  command
    .command('caches')
    .description('dependency caches of repositories on this machine, with their sizes')
    .addOption(dataDir)
    .option('--prune', 'remove them')
    .addOption(
      new Option('--unused-days <n>', 'with --prune: only those unused for that long')
        .argParser(checked(parseDays))
        .default(0),
    )
    .option('--json', 'print JSON and nothing else')
    .action((flags: CachesFlags) => finish(showCaches(flags)));
  const engine = command
    .command('engine')
    .description('agent engines on this machine, for agents that run without a container');
  engine
    .command('list')
    .description('every engine that this version knows, and whether it can run here')
    .option('--json', 'print JSON and nothing else')
    .action((flags: { json?: boolean }) => finish(showEngines(flags)));
  engine
    .command('install <name>')
    .description('install an engine, pinned and checked, in the folder of this user')
    .option('--accept-licence', 'accept the terms of an engine that is proprietary')
    .option('--from <folder>', 'take its archives from this folder and ask no network')
    .option('--json', 'print JSON and nothing else')
    .addHelpText(
      'after',
      '\nThe folder is ~/.cache/switchyard/engines; SWITCHYARD_ENGINES names another one. For containers\nuse build-image --engine.',
    )
    .action((name: string, flags: InstallFlags) => finish(installEngineHere(name, flags)));
  engine
    .command('download <name> <folder>')
    .description(
      'put its archives into a folder, for install --from on a machine without a network',
    )
    .option('--platform <name>', 'of that machine, for example linux-arm64 (default: of this one)')
    .action((name: string, folder: string, flags: DownloadFlags) =>
      finish(downloadEngineTo(name, folder, flags)),
    );
  command
    .command('run', { isDefault: true })
    .description('serve the control plane that was joined (the default command)')
    .addOption(dataDir)
    .addOption(
      new Option('--slots <n>', 'attempts at a time')
        .argParser(checked(parseSlots))
        .default(defaultSlots()),
    )
    .addOption(labels)
    .addOption(
      new Option('--sandbox <kind>', 'isolation of agents').choices(SANDBOXES).default('auto'),
    )
    .option('--image <name>', 'sandbox image, when not our own; it is pulled and never built')
    .option('--base-image <name>', 'Debian image that our own is built on')
    .option('--build-image', 'build or pull the sandbox image when it is missing, beside the work')
    .addOption(engines())
    .addOption(accept())
    .option('--allow-image <name...>', 'further images that may be asked for, * at the end', [])
    .addOption(
      new Option(
        '--allow-private-host <host...>',
        'hosts in private networks that agents may reach, with an optional :port',
      )
        .argParser<string[]>((text, before) => [...before, checked(parseHosts)(text)])
        .default([]),
    )
    .option(
      '--allow-folder <path...>',
      'folders of this host in which file:// repositories may lie (default: none)',
      [],
    )
    .option('--agents <file>', 'agents of your own that speak the Agent Client Protocol, as TOML')
    .option('--signing-key <file>', 'ssh key that signs commits where that is configured')
    .option(
      '--stop-attempts-on-exit',
      'end running attempts and give them back when stopped',
      false,
    )
    .action((flags: RunFlags) => finish(run(flags)));
  return command;
}

async function main(): Promise<number> {
  let exitCode: number = EXIT.done;
  try {
    takeValuesFromFiles(process.env, (path) => readFileSync(path, 'utf8'));
    takeSecretVariables(process.env);
    await program(async (work) => {
      exitCode = await work;
    }).parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.done;
      if (isJson) {
        const problem = error.message.replace(/^error: /, '');
        process.stdout.write(escapeUnseen(errorDocument(problem, EXIT.usage)));
      } else if (error.code === 'bad_value') tell(`error: ${error.message}\n`);
      return EXIT.usage;
    }
    const trouble = machineTrouble(error, `${process.platform}-${process.arch}`);
    const text = trouble?.message ?? messageOf(error);
    const unconfigured =
      trouble?.isMissingPart === true ||
      UNCONFIGURED.some((kind) => error instanceof kind) ||
      (error instanceof ImageFailed && error.missingPart);
    const code = unconfigured ? EXIT.notConfigured : EXIT.failed;
    if (isJson) process.stdout.write(escapeUnseen(errorDocument(text, code)));
    else tell(`switchyard runner: ${text}\n`);
    return code;
  }
  return exitCode;
}

/** Puts Node's own warnings and uncaught errors into the log; such an error ends the process. */
function logWhatNodeSays(): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    if (name !== 'ExperimentalWarning') log.warn(message, { name });
  });
  process.once('uncaughtException', (failure: Error) => {
    log.error('an error was not caught; the process ends', {
      error: failure.stack ?? messageOf(failure),
    });
    process.exit(EXIT.failed);
  });
}

logWhatNodeSays();
process.exit(await main());
