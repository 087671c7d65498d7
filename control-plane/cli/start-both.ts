import { join, resolve } from 'node:path';
import type { FolderHold } from '@switchyard/shared/host/hold-folder';
import { createJoinToken } from '../src/runners/admin/create-join-token.ts';
import { SERVICE_CALLER } from '../src/http/caller/caller.ts';
import type { Redactor } from '../src/ports/redactor.ts';
import type { Logger } from '../src/ports/ports.ts';
import { holdDataFolder, requireNoRunnerOfItsOwn } from './hold-data-folder.ts';
import { defaultDataDir, type ServeFlags } from './serve-flags.ts';
import type { ShownLog } from './options/shown-log.ts';
import { type LocalRunner, type LocalRunnerOptions, startLocalRunner } from './local-runner.ts';
import { runnerFlags } from './runner-flags.ts';
import { findBaseFile } from '../src/platform/node/find-base-file.ts';
import {
  type RunningControlPlane,
  startControlPlane,
} from '../src/platform/node/start-control-plane.ts';

/** The token is usually used within seconds; the limit allows for a slow first start. */
const JOIN_TOKEN_TTL_MS = 600_000;

export type Both = {
  controlPlane: RunningControlPlane;
  runner: LocalRunner | null;
  dataDir: string;
  /** Aborts when another process has acquired the data folder although this one is alive. */
  lost: AbortSignal;
  stop(): Promise<void>;
};

type Input = {
  env: NodeJS.ProcessEnv;
  workingFolder: string;
  logger: Logger;
  /** The part of the runner's log that is shown; left out: all of it. */
  log?: ShownLog;
  redactor?: Redactor;
  demo?: boolean;
  /** The hold on the data folder, if the caller already has it; always released here. */
  hold?: FolderHold;
};

/**
 * Starts the control plane and, by default, a runner beside it. Throws FolderHeld while another
 * process uses their data folder.
 */
export async function startBoth(flags: ServeFlags, input: Input): Promise<Both> {
  const dataDir = resolve(flags.dataDir ?? defaultDataDir(input.env));
  const hold = input.hold ?? (await holdDataFolder(dataDir, 'start'));
  try {
    return await startHeld(dataDir, flags, { ...input, hold });
  } catch (error) {
    hold.release();
    throw error;
  }
}

async function startHeld(
  dataDir: string,
  flags: ServeFlags,
  input: Input & { hold: FolderHold },
): Promise<Both> {
  const { env, logger, hold } = input;
  const runnerFolder = join(dataDir, 'runner');
  if (flags.runner) await requireNoRunnerOfItsOwn(runnerFolder);
  const controlPlane = await startControlPlane({
    host: flags.host,
    port: flags.port,
    dataDir,
    env,
    baseFile: findBaseFile(input.workingFolder),
    workingFolder: input.workingFolder,
    logger,
    ...(input.redactor === undefined ? {} : { redactor: input.redactor }),
    ...(input.demo === undefined ? {} : { demo: input.demo }),
  });
  hold.serveAt(controlPlane.url);
  const runner = flags.runner
    ? await startRunner(controlPlane, flags, {
        env,
        dataDir: runnerFolder,
        logger,
        ...(input.log === undefined ? {} : { log: input.log }),
        ...(input.demo === true ? {} : { command: 'start' }),
      })
    : null;
  return {
    controlPlane,
    runner,
    dataDir,
    lost: hold.lost,
    async stop() {
      // The runner stops first: it releases its work to a control plane that still responds.
      await runner?.stop();
      await controlPlane.stop();
      hold.release();
    },
  };
}

async function startRunner(
  controlPlane: RunningControlPlane,
  flags: ServeFlags,
  input: Pick<LocalRunnerOptions, 'env' | 'dataDir' | 'logger' | 'log' | 'command'>,
): Promise<LocalRunner> {
  const { token } = await createJoinToken(controlPlane.deps, {
    labels: [],
    expiresInMs: JOIN_TOKEN_TTL_MS,
    caller: { ...SERVICE_CALLER, path: 'start' },
  });
  return startLocalRunner({
    url: controlPlane.url,
    dataDir: input.dataDir,
    joinToken: token,
    flags: runnerFlags(flags, input.env),
    env: input.env,
    logger: input.logger,
    ...(input.log === undefined ? {} : { log: input.log }),
    ...(input.command === undefined ? {} : { command: input.command }),
  });
}
