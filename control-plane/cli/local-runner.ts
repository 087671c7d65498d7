import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { deferred } from '@switchyard/shared/deferred';
import type { Logger } from '../src/ports/ports.ts';
import type { ShownLog } from './options/shown-log.ts';
import { serviceNodeOptions } from './bootstrap/service-node-options.mjs';

/** Time a runner has to release its work before it is killed. */
const STOP_TIMEOUT_MS = 8_700;
/** The runner's log gets the same format as the service's. */
const LOG_FORMAT = 'SERVICE_LOG_FORMAT';
const RESTART_BASE_MS = 500;
const RESTART_MAX_MS = 15_000;
/** A runner that ran for longer than this starts again after the shortest delay. */
const SETTLED_MS = 60_000;

export type LocalRunnerOptions = {
  url: string;
  dataDir: string;
  /** Single-use token for the first start; later starts use the identity in dataDir. */
  joinToken: string;
  flags: string[];
  env: Readonly<Record<string, string | undefined>>;
  /**
   * The command with which people start the runner, for its messages; left out: they cannot start
   * it again.
   */
  command?: 'start' | 'edge dev';
  logger: Logger;
  /** The part of the runner's log that is copied to standard error; left out: all of it. */
  log?: ShownLog;
};

export type LocalRunner = {
  stop(): Promise<void>;
  /**
   * Resolves when the first runner cannot run on this machine at all; it has printed the reason on
   * standard error.
   */
  unusable: Promise<void>;
};

/**
 * The runner's exit code for problems that a restart cannot solve. Source: docs/command-line.md.
 */
const NOT_CONFIGURED = 3;

/** Command that starts the runner program in its own process. */
export function runnerCommand(args: string[]): { command: string; args: string[] } {
  const script = fileURLToPath(new URL('../../runner/src/main.ts', import.meta.url));
  return {
    command: process.execPath,
    args: [...serviceNodeOptions(), script, ...args],
  };
}

/**
 * Supervises a runner beside the control plane: starts it at once and restarts it whenever it ends,
 * unless it reports that this machine lacks something it was configured to use.
 */
export function startLocalRunner(options: LocalRunnerOptions): LocalRunner {
  let stopping = false;
  let failures = 0;
  let restart: NodeJS.Timeout | null = null;
  const unusable = deferred<void>();
  let child = launch();

  function launch(): ChildProcess {
    const startedAtMs = Date.now();
    const started = spawnRunner(options);
    started.once('error', (error) =>
      options.logger.error('the local runner cannot start', { error: error.message }),
    );
    started.once('exit', (code, signal) => {
      if (stopping) return;
      if (code === NOT_CONFIGURED) {
        if (failures === 0) unusable.resolve();
        options.logger.error('the local runner cannot run here and is not started again');
        return;
      }
      failures = Date.now() - startedAtMs > SETTLED_MS ? 0 : failures + 1;
      const delayMs = Math.min(RESTART_BASE_MS * 2 ** failures, RESTART_MAX_MS);
      options.logger.warn('the local runner ended; starting it again', { code, signal, delayMs });
      restart = setTimeout(() => {
        child = launch();
      }, delayMs);
    });
    return started;
  }

  return {
    unusable: unusable.promise,
    async stop() {
      stopping = true;
      if (restart !== null) clearTimeout(restart);
      await endChild(child, options);
    },
  };
}

function spawnRunner(options: LocalRunnerOptions): ChildProcess {
  const { log = 'all' } = options;
  const { command, args } = runnerCommand(['run', '--data-dir', options.dataDir, ...options.flags]);
  // The runner must not get the provider's key and the service's tokens.
  const env = Object.fromEntries(
    Object.entries(options.env).filter(
      ([name]) => !name.startsWith('SERVICE_') || name === LOG_FORMAT,
    ),
  );
  return spawn(command, args, {
    env: {
      ...env,
      SWITCHYARD_CONTROL_PLANE: options.url,
      SWITCHYARD_CONTROL_PLANE_PID: String(process.pid),
      SWITCHYARD_CONTROL_PLANE_COMMAND: options.command,
      SWITCHYARD_JOIN_TOKEN: options.joinToken,
      ...(log === 'warnings' ? { LOG_LEVEL: 'warn', [LOG_FORMAT]: 'words' } : {}),
    },
    stdio: [
      'ignore',
      log === 'all' ? process.stderr : 'ignore',
      log === 'none' ? 'ignore' : process.stderr,
    ],
    // A Ctrl-C reaches the complete process group; the runner must get only our signal, while we
    // still serve.
    detached: true,
  });
}

async function endChild(
  child: ChildProcess,
  { dataDir, logger }: LocalRunnerOptions,
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => {
    logger.error(
      'the local runner did not end in time and is killed; its next start removes what it left',
      {
        pid: child.pid,
        dataDir,
      },
    );
    child.kill('SIGKILL');
  }, STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}
