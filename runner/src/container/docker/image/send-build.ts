import { cutText } from '@switchyard/shared/text/cut-text';
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import { dockerCall, isMissing } from '../daemon/docker-call.ts';
import { daemonMessages } from './daemon-messages.ts';
import type { ImageStep } from './image-step.ts';
import { shortLine } from './image-step.ts';

/** For half a gigabyte of context, until the daemon begins. */
const SEND_TIMEOUT_MS = 10 * 60_000;
/** What a daemon may take to let go of a step that was cut off. */
const LET_GO_MS = 4_000;
const LET_GO_POLL_MS = 200;

/** Of a Dockerfile's command, which may be long, its beginning says enough. */
const MAX_COMMAND_CHARS = 100;

export type SentBuild = {
  tag: string;
  buildArguments: Readonly<Record<string, string>>;
  labels: Readonly<Record<string, string>>;
};

/**
 * Has the daemon build a folder. What a build that does not end well had made (containers and
 * layers that were not there before) is removed. Rejects with the daemon's words, or with the
 * signal's reason.
 */
export async function sendBuild(
  docker: Docker,
  folder: string,
  build: SentBuild,
  { signal, progress }: { signal: AbortSignal; progress: (step: ImageStep) => void },
): Promise<void> {
  signal.throwIfAborted();
  // No environment but the search path: nothing of this host's goes into the context.
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
        const [, number, total, words = ''] = step;
        fromCache = false;
        isBase = /^from /i.test(words);
        const shown = cutText(words.replace(/\s+/g, ' '), MAX_COMMAND_CHARS);
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

/** Best effort within a few seconds: what another build uses by now stays. */
async function removeMade(docker: Docker, made: Made): Promise<void> {
  const endMs = performance.now() + LET_GO_MS;
  for (const id of made.containers) {
    // The daemon removes it by itself, once it has seen that nobody waits for the build any more.
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

async function isThere(look: () => Promise<unknown>): Promise<boolean> {
  try {
    await dockerCall('inspect', look, LET_GO_MS);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
