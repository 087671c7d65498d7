import type Docker from 'dockerode';
import { ByteHead } from '../../byte-head.ts';
import { ByteTail } from '@switchyard/shared/bytes/byte-tail';
import { OutputFile } from '../../output-file.ts';
import type { CommandResult, CommandSpec, DialogueSpec } from '../../container-engine.ts';
import { containerLabels, containerName } from '../container-labels.ts';
import { demux } from './demux.ts';
import { dockerCall, isConflict, isMissing } from './docker-call.ts';
import {
  SHIM_PATH,
  accessMount,
  commandArguments,
  environmentList,
  hardenedHostConfig,
} from '../hardened-host-config.ts';

const STDERR_BYTES = 64 * 1024;
/** Time beyond the command's own limit in which the daemon must report its end. */
const END_TIMEOUT_MS = 30_000;

/**
 * Runs one short command in a restricted container without network and always removes it. The time
 * limit counts from the start. Throws DockerError when the daemon fails; a command that fails,
 * takes too long or prints too much is a regular result.
 */
export async function runCommand(
  docker: Docker,
  spec: CommandSpec,
  settings: { user: string; runtime: string | null },
): Promise<CommandResult> {
  const container = await createCommand(docker, spec, settings);
  try {
    return await followCommand(container, spec);
  } finally {
    await removeContainer(container);
  }
}

/**
 * Creates a restricted container for a command without starting it. `answers`: it reads lines until
 * its caller ends it.
 */
export async function createCommand(
  docker: Docker,
  spec: DialogueSpec & Pick<CommandSpec, 'proxy'>,
  settings: { user: string; runtime: string | null; answers?: boolean },
): Promise<Docker.Container> {
  const name = containerName(spec.owner, spec.purpose);
  const options: Docker.ContainerCreateOptions = {
    name,
    Image: spec.image,
    Entrypoint: [SHIM_PATH],
    Cmd: [...commandArguments(spec.proxy), ...spec.argv],
    Env: environmentList(spec.env),
    WorkingDir: spec.workingDirectory,
    User: settings.user,
    Hostname: 'switchyard',
    Labels: containerLabels(spec.owner, 'command'),
    AttachStdout: true,
    AttachStderr: true,
    ...(settings.answers === true ? { AttachStdin: true, OpenStdin: true, StdinOnce: true } : {}),
    HostConfig: {
      ...hardenedHostConfig({
        mounts: [...spec.mounts, ...(spec.proxy === undefined ? [] : [accessMount(spec.proxy)])],
        resources: spec.resources,
        network: 'none',
        runtime: spec.runtime ?? settings.runtime,
      }),
      LogConfig: { Type: 'none', Config: {} },
    },
  };
  const create = (): Promise<Docker.Container> =>
    dockerCall(`create ${name}`, () => docker.createContainer(options));
  try {
    return await create();
  } catch (error) {
    if (!isConflict(error)) throw error;
    // A runner died while using this container; its output is lost, so the command starts again.
    await removeContainer(docker.getContainer(name));
    return create();
  }
}

async function followCommand(
  container: Docker.Container,
  spec: CommandSpec,
): Promise<CommandResult> {
  const output = await dockerCall('attach output', () =>
    container.attach({ stream: true, stdout: true, stderr: true }),
  );
  const ending = { timedOut: false, outputExceeded: false };
  const kill = (why: keyof typeof ending | 'aborted'): void => {
    if (why !== 'aborted') ending[why] = true;
    // If this fails, reading the output reaches its own timeout, and the removal kills again.
    container.kill({ signal: 'SIGKILL' }).catch(() => undefined);
  };
  await dockerCall('start command', () => container.start());
  const timer = setTimeout(() => kill('timedOut'), spec.timeoutMs);
  const abort = (): void => kill('aborted');
  spec.signal?.addEventListener('abort', abort, { once: true });
  if (spec.signal?.aborted === true) abort();
  try {
    const collected = await dockerCall(
      'read output',
      () => collect(output, spec, () => kill('outputExceeded')),
      spec.timeoutMs + END_TIMEOUT_MS,
    );
    const { StatusCode: exitCode } = await dockerCall('wait for the end', () => container.wait());
    return { exitCode, ...collected, ...ending };
  } finally {
    clearTimeout(timer);
    spec.signal?.removeEventListener('abort', abort);
  }
}

async function collect(
  output: AsyncIterable<unknown>,
  spec: CommandSpec,
  exceed: () => void,
): Promise<{ stdout: string; stderr: string }> {
  const file = spec.stdoutFile === undefined ? null : new OutputFile(spec.stdoutFile);
  const kept = new ByteHead();
  let stdoutBytes = 0;
  const stderr = new ByteTail(STDERR_BYTES);
  try {
    for await (const piece of demux(output as AsyncIterable<Uint8Array>)) {
      if (piece.stream === 2) {
        stderr.add(piece.bytes);
        continue;
      }
      const room = spec.maxOutputBytes - stdoutBytes;
      stdoutBytes += piece.bytes.byteLength;
      const taken = room > 0 ? piece.bytes.subarray(0, room) : null;
      if (taken && file) await file.add(taken);
      else if (taken) kept.add(taken);
      if (stdoutBytes > spec.maxOutputBytes) exceed();
    }
  } finally {
    await file?.close();
  }
  return { stdout: kept.text(), stderr: stderr.text() };
}

/** Removes a container, running or not; a no-op when it is already removed. */
export async function removeContainer(container: Docker.Container): Promise<void> {
  try {
    await dockerCall('remove container', () => container.remove({ force: true, v: true }));
  } catch (error) {
    // 409: a removal is already in progress.
    if (!isMissing(error) && !isConflict(error)) throw error;
  }
}
