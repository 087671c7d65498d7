import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Redactor } from '../../src/ports/redactor.ts';
import type { Logger } from '../../src/ports/ports.ts';
import { repositoryRoot } from '../../src/platform/node/service-version.ts';
import { CommandError } from '../client/command-error.ts';
import { EXIT } from '../client/exit.ts';
import { ServiceClient } from '../client/service-client.ts';
import { migrateEdge } from '../deploy/deploy-edge.ts';
import {
  completeEdgeSettings,
  edgeFile,
  readEdgeSettings,
  workerSecrets,
} from '../deploy/edge-settings.ts';
import { runnerFlags } from '../runner-flags.ts';
import { holdDataFolder, requireNoRunnerOfItsOwn, untilLost } from '../hold-data-folder.ts';
import type { ShownLog } from '../options/shown-log.ts';
import { type LocalRunner, startLocalRunner } from '../local-runner.ts';
import { openBrowser } from '../open-browser.ts';
import { defaultDataDir, type ServeFlags } from '../serve-flags.ts';
import { firstStopSignal } from '../first-stop-signal.ts';
import { type Children, createChildren } from './create-children.ts';
import { findLibsqlServer } from './find-libsql-server.ts';
import { findWorkerd } from './find-workerd.ts';
import { startLibsqlServer } from './start-libsql-server.ts';
import { startLocalWorker } from './start-local-worker.ts';

/** The token is used within seconds; it must outlive a slow first start. */
const JOIN_TOKEN_TTL_MS = 600_000;
/** Settings that this command sets on the Worker itself. */
const OWN_SETTINGS = /^SERVICE_(DATABASE_|MASTER_KEY|REMOTE_|WRITE_TOKEN|READ_TOKEN|RUNNER_POOLS)/;

export type EdgeDevFlags = Omit<ServeFlags, 'host'> & {
  database?: string;
  pools: number;
  json?: boolean;
};

type Input = {
  env: NodeJS.ProcessEnv;
  logger: Logger;
  log: ShownLog;
  redactor: Redactor;
  out(text: string): void;
  err(text: string): void;
};

/** The running parts; `stop` ends them in the order that loses no work. */
type Running = {
  url: string;
  runner: LocalRunner | null;
  /** Resolves with the name of a part that ended unexpectedly. */
  ended: Promise<string>;
  stop(): Promise<void>;
};

/**
 * `switchyard edge dev`: a libSQL server, the Worker in its own runtime and a runner, until a signal
 * comes. Resolves to the exit code.
 */
export async function runEdgeDev(flags: EdgeDevFlags, input: Input): Promise<number> {
  const stopped = firstStopSignal();
  const dataDir = resolve(flags.dataDir ?? defaultDataDir(input.env));
  const hold = await holdDataFolder(dataDir, 'edge dev');
  try {
    const folder = join(dataDir, 'edge');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (flags.runner) await requireNoRunnerOfItsOwn(join(folder, 'runner'));
    const running = await start(folder, flags, input, stopped);
    if (running === null) return EXIT.interrupted;
    hold.serveAt(running.url);
    try {
      return await serve(running, { folder, flags, input, stopped, lost: hold.lost });
    } finally {
      await running.stop();
    }
  } finally {
    hold.release();
  }
}

async function serve(
  { url, runner, ended }: Running,
  given: {
    folder: string;
    flags: EdgeDevFlags;
    input: Input;
    stopped: Promise<NodeJS.Signals>;
    lost: AbortSignal;
  },
): Promise<number> {
  const { folder, flags, input, lost } = given;
  const ready = flags.json === true ? JSON.stringify({ url, dataDir: folder }) : `ready ${url}`;
  input.out(`${ready}\n`);
  input.err(`sign in with SERVICE_WRITE_TOKEN of ${edgeFile(folder)}; Ctrl-C ends all of it\n`);
  if (flags.open) openBrowser(url, { env: input.env, dataDir: folder, say: input.err });
  const unusable = runner?.unusable.then(() => 'unusable' as const);
  const cause = await Promise.race([
    given.stopped,
    untilLost(lost, input.logger),
    ended.then((what) => ({ what })),
    ...(unusable === undefined ? [] : [unusable]),
  ]);
  if (cause === 'unusable') return EXIT.notConfigured;
  if (cause === 'lost') return EXIT.failed;
  if (typeof cause === 'object') {
    input.logger.error(`${cause.what} ended by itself`);
    return EXIT.failed;
  }
  return cause === 'SIGINT' ? EXIT.interrupted : EXIT.done;
}

/** Null when a signal arrived during the start; nothing is left running then. */
async function start(
  folder: string,
  flags: EdgeDevFlags,
  input: Input,
  stopped: Promise<NodeJS.Signals>,
): Promise<Running | null> {
  const children = createChildren();
  const cut = new AbortController();
  const started = startAll(folder, flags, { ...input, children, signal: cut.signal });
  const running = await Promise.race([started, stopped.then(() => null)]).catch(
    async (error: unknown) => {
      await children.endAll();
      throw error;
    },
  );
  if (running !== null) return running;
  cut.abort(new CommandError('interrupted', EXIT.interrupted));
  await children.endAll();
  // A start in progress fails without its programs, or has just succeeded.
  const late = await started.catch(() => null);
  await late?.stop();
  return null;
}

async function startAll(
  folder: string,
  flags: EdgeDevFlags,
  input: Input & { children: Children; signal: AbortSignal },
): Promise<Running> {
  const { children, signal, env } = input;
  const say = (line: string) => input.err(`${line}\n`);
  const workerd = findWorkerd(say);
  const database = await databaseOf(folder, flags, { env, say, children });
  signal.throwIfAborted();
  say('bringing the database to this version');
  await migrateEdge(database, say);
  const settings = completeEdgeSettings(folder, readEdgeSettings(folder, {}), {
    answers: {},
    openReads: false,
  });
  const token = settings['SERVICE_WRITE_TOKEN'] ?? '';
  for (const secret of [token, database.SERVICE_DATABASE_TOKEN]) input.redactor.hide(secret);
  signal.throwIfAborted();
  say('starting the Worker');
  const { url } = await startLocalWorker({
    folder,
    workerd,
    children,
    product: repositoryRoot,
    port: flags.port,
    settings: {
      ...settingsOf(env),
      ...workerSecrets({ ...settings, ...database }),
      SERVICE_RUNNER_POOLS: String(flags.pools),
    },
    line: say,
  });
  const joinToken = flags.runner ? await makeJoinToken(url, token) : null;
  signal.throwIfAborted();
  const runner =
    joinToken === null
      ? null
      : startLocalRunner({
          url,
          joinToken,
          env,
          logger: input.logger,
          log: input.log,
          command: 'edge dev',
          dataDir: join(folder, 'runner'),
          flags: runnerFlags(flags, env),
        });
  return {
    url,
    runner,
    ended: children.ended,
    async stop() {
      // The runner stops first: it releases its work to a control plane that still responds.
      await runner?.stop();
      await children.endAll();
    },
  };
}

/** Address and token of the database: that of `--database`, otherwise of a server started here. */
async function databaseOf(
  folder: string,
  flags: EdgeDevFlags,
  {
    env,
    say,
    children,
  }: Pick<Input, 'env'> & {
    say: (line: string) => void;
    children: Children;
  },
): Promise<Record<'SERVICE_DATABASE_URL' | 'SERVICE_DATABASE_TOKEN', string>> {
  if (flags.database !== undefined) {
    if (!/^(libsql|https?):\/\/[^\s]+$/.test(flags.database))
      throw new CommandError('--database takes a libsql, http or https address', EXIT.usage);
    const token = env['SERVICE_DATABASE_TOKEN'] ?? '';
    return { SERVICE_DATABASE_URL: flags.database, SERVICE_DATABASE_TOKEN: token };
  }
  const program = findLibsqlServer(env, say);
  say('starting the libSQL server');
  const { url, token } = await startLibsqlServer({ folder, program, children });
  return { SERVICE_DATABASE_URL: url, SERVICE_DATABASE_TOKEN: token };
}

/** Settings that the Worker gets from this environment. */
function settingsOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[0].startsWith('SERVICE_') && !OWN_SETTINGS.test(entry[0]) && entry[1] !== undefined,
    ),
  );
}

/** Creates the join token of the local runner, which needs it at its first start only. */
async function makeJoinToken(url: string, writeToken: string): Promise<string> {
  const client = new ServiceClient({ url, host: '', port: 0 }, { SWITCHYARD_TOKEN: writeToken });
  const body = { expiresInMs: JOIN_TOKEN_TTL_MS };
  return (await client.ask<{ token: string }>('POST', '/runners/tokens', { body })).token;
}
