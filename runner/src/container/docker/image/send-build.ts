import { cutText } from '@switchyard/shared/text/cut-text';
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import { dockerCall, isMissing } from '../daemon/docker-call.ts';
import { daemonMessages } from './daemon-messages.ts';
import type { ImageStep } from './image-step.ts';
import { shortLine } from './image-step.ts';

/** Time to send half a gigabyte of context until the daemon begins. */
const SEND_TIMEOUT_MS = 10 * 60_000;
/** Time in which a daemon ends a cancelled step. */
const LET_GO_MS = 4_000;
const LET_GO_POLL_MS = 200;

/** Characters that are shown of a Dockerfile's command. */
const MAX_COMMAND_CHARS = 100;

export type SentBuild = {
  tag: string;
  buildArguments: Readonly<Record<string, string>>;
  labels: Readonly<Record<string, string>>;
};

/**
 * Makes the daemon build a folder. If that fails, containers and layers created by the build are
 * removed. Rejects with the daemon's message, or with the signal's reason.
 */
export async function sendBuild(
  docker: Docker,
  folder: string,
  build: SentBuild,
  { signal, progress }: { signal: AbortSignal; progress: (step: ImageStep) => void },
): Promise<void> {
  signal.throwIfAborted();
  // No environment but the search path, so that nothing of this host's enters the context.
  const tar = spawn('tar', ['-C', folder, '-cf', '-', '.'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', COPYFILE_DISABLE: '1' },
  });
  const tarFailed = new Promise<never>((_resolve, reject) => {
    tar.once('error', (cause) => reject(new Error('the program tar cannot be run', { cause })));
  });
  tarFailed.catch(() => undefined);
  const made: Made = { containers: new Set(), images: [] };
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  progress({ kind: 'context' });
  try {
    const request = () =>
      docker.buildImage(tar.stdout, {
        t: build.tag,
        buildargs: { ...build.buildArguments },
        labels: { ...build.labels },
        rm: true,
        forcerm: true,
        abortSignal: either,
      });
    const answer = await Promise.race([
      dockerCall('build image', request, SEND_TIMEOUT_MS),
      tarFailed,
    ]);
    await followBuild(answer, made, progress);
    signal.throwIfAborted();
  } catch (error) {
    stop.abort();
    await removeMade(docker, made);
    signal.throwIfAborted();
    throw error;
  } finally {
    tar.kill();
  }
}

type Made = { containers: Set<string>; images: string[] };

async function followBuild(
  answer: AsyncIterable<Uint8Array | string>,
  made: Made,
  progress: (step: ImageStep) => void,
): Promise<void> {
  let fromCache = false;
  let isBase = false;
  for await (const { stream, status, error } of daemonMessages(answer)) {
    if (error !== undefined) throw new Error(error.trim());
    for (const line of (stream ?? status ?? '').split('\n')) {
      const text = shortLine(line);
      if (text === '') continue;
      const step = /^step (\d+)\/(\d+)\s*: ?(.*)$/i.exec(text);
      if (step !== null) {
        const [, number, total, instruction = ''] = step;
        fromCache = false;
        isBase = /^from /i.test(instruction);
        const shown = cutText(instruction.replace(/\s+/g, ' '), MAX_COMMAND_CHARS);
        progress({ kind: 'build', number: Number(number), total: Number(total), text: shown });
        continue;
      }
      fromCache ||= text === '---> Using cache';
      const container = /^---> Running in ([0-9a-f]{12,64})$/.exec(text)?.[1];
      const image = /^---> ([0-9a-f]{12,64})$/.exec(text)?.[1];
      if (container !== undefined) made.containers.add(container);
      if (image !== undefined && !fromCache && !isBase) made.images.push(image);
      progress({ kind: 'output', text });
    }
  }
}

/**
 * Removes what the build created, as far as possible within a few seconds; anything another build
 * uses stays.
 */
async function removeMade(docker: Docker, made: Made): Promise<void> {
  const endMs = performance.now() + LET_GO_MS;
  for (const id of made.containers) {
    // The daemon removes it by itself once it notices that the build was cancelled.
    while (await isThere(() => docker.getContainer(id).inspect())) {
      await docker
        .getContainer(id)
        .remove({ force: true, v: true })
        .catch(() => undefined);
      if (performance.now() >= endMs) break;
      await delay(LET_GO_POLL_MS);
    }
  }
  for (const id of made.images.toReversed()) {
    await dockerCall('remove image', () => docker.getImage(id).remove(), LET_GO_MS).catch(
      () => undefined,
    );
  }
}

async function isThere(request: () => Promise<unknown>): Promise<boolean> {
  try {
    await dockerCall('inspect', request, LET_GO_MS);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
