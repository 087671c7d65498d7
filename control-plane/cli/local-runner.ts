import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { deferred } from '@switchyard/shared/deferred';
import type { Logger } from '../src/ports/ports.ts';
import type { ShownLog } from './options/shown-log.ts';
import { serviceNodeOptions } from './bootstrap/service-node-options.mjs';

/** Time a runner has to give its work back before it is killed. */
const STOP_TIMEOUT_MS = 8_700;
/** One log, one form. */
const LOG_FORMAT = 'SERVICE_LOG_FORMAT';
const RESTART_BASE_MS = 500;
const RESTART_MAX_MS = 15_000;
/** A runner that lived this long starts its backoff anew. */
const SETTLED_MS = 60_000;

export type LocalRunnerOptions = {
  url: string;
  dataDir: string;
  /** One-time token for the first start; later ones use the identity in dataDir. */
  joinToken: string;
  flags: string[];
  env: Readonly<Record<string, string | undefined>>;
  /** What people start it with, for its messages; left out: they cannot start it so again. */
  command?: 'start' | 'edge dev';
  logger: Logger;
  /** What of its log stands on this process's standard error; left out: all. */
  log?: ShownLog;
};

export type LocalRunner = {
  stop(): Promise<void>;
  /** Resolves when the first one cannot run here at all; it has said why on standard error. */
  unusable: Promise<void>;
};

/** The runner's exit code for what another try cannot change. Source: docs/command-line.md. */
const NOT_CONFIGURED = 3;

/** Command that runs the runner program, which is a process of its own. */
export function runnerCommand(args: string[]): { command: string; args: string[] } {
  const script = fileURLToPath(new URL('../../runner/src/main.ts', import.meta.url));
  return {
    command: process.execPath,
    args: [...serviceNodeOptions(), script, ...args],
  };
}

/**
 * Keeps a runner beside the control plane: started at once, started again whenever it ends, unless
 * it says that this machine lacks what it was told to use.
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
  // The provider's key and the service's tokens are not the runner's to know.
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
    // A Ctrl-C reaches the whole group: the runner must hear it from us, once, while we still serve.
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
