import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';
import { readShellProgram } from '../../shell/read-shell-program.ts';
import type { ContainerOwner, EngineContainerSpec } from '../container-engine.ts';
import { attemptEnvironment, attemptMarker } from './attempt-environment.ts';
import { startTimeOf } from './process-identity.ts';
import { EXIT_EXPIRED, stateFile } from './state-files.ts';

/** Written before the launch and completed after it, so that a crash in between is detected. */
export const LaunchRecord = z.object({
  owner: z.object({
    runnerId: z.string(),
    attemptId: z.string(),
    epoch: z.int(),
    bootId: z.string(),
  }),
  stateFolder: z.string(),
  /** The shell that waits for the engine and writes its exit status. */
  wrapper: z.object({ pid: z.int(), startTime: z.string() }).nullable(),
});
export type LaunchRecord = z.infer<typeof LaunchRecord>;

const MKFIFO_TIMEOUT_MS = 10_000;

const DEAD_MAN = fileURLToPath(new URL('./dead-man.ts', import.meta.url));
const PROGRAM = readShellProgram(new URL('./launch.sh', import.meta.url));

/**
 * Starts an engine independent of this process: its input is a FIFO that it keeps open itself, its
 * output goes to files, and it has its own session.
 */
export async function launch(
  spec: EngineContainerSpec,
  saveRecord: (record: LaunchRecord) => Promise<void>,
): Promise<{ record: LaunchRecord; child: ChildProcess }> {
  const folder = spec.stateFolder;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeState(folder);
  await promisify(execFile)('mkfifo', ['-m', '600', stateFile(folder, 'stdin')], {
    timeout: MKFIFO_TIMEOUT_MS,
  });
  const unlaunched: LaunchRecord = { owner: { ...spec.owner }, stateFolder: folder, wrapper: null };
  await saveRecord(unlaunched);
  const child = await spawnWrapper(spec);
  const pid = child.pid ?? 0;
  const startTime = (await startTimeOf(pid)) ?? '';
  const record: LaunchRecord = { ...unlaunched, wrapper: { pid, startTime } };
  await saveRecord(record);
  return { record, child };
}

async function spawnWrapper(spec: EngineContainerSpec): Promise<ChildProcess> {
  const folder = spec.stateFolder;
  const input = await open(stateFile(folder, 'stdin'), constants.O_RDWR);
  const output = await open(stateFile(folder, 'stdout.log'), 'a', 0o600);
  const errors = await open(stateFile(folder, 'stderr.log'), 'a', 0o600);
  try {
    const deadline = join(spec.proxy.socketFolder, 'deadline');
    const own = [folder, process.execPath, DEAD_MAN, deadline, String(EXIT_EXPIRED)];
    const child = spawn('/bin/sh', ['-c', PROGRAM, 'switchyard', ...own, ...spec.argv], {
      detached: true,
      cwd: spec.workingDirectory,
      stdio: [input.fd, output.fd, errors.fd],
      env: attemptEnvironment({ HOME: folder, ...spec.env }, [attemptMarker(spec.owner)]),
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    child.unref();
    return child;
  } finally {
    await Promise.all([input.close(), output.close(), errors.close()]);
  }
}

/** Removes the FIFO, the logs and the exit status; other files of the folder stay. */
export async function removeState(folder: string): Promise<void> {
  const names = ['stdin', 'stdout.log', 'stderr.log', 'engine.pid', 'expired', 'exit'] as const;
  for (const name of names) await rm(stateFile(folder, name), { force: true });
}

/** Path of the launch record of an attempt, one file each. */
export function recordFile(registryFolder: string, owner: ContainerOwner): string {
  return join(registryFolder, `${owner.attemptId}-${owner.epoch}.json`);
}

export async function saveLaunchRecord(path: string, record: LaunchRecord): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(record), { mode: 0o600 });
  await rename(`${path}.new`, path);
}
