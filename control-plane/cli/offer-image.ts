import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Runner } from '@switchyard/shared/api/runner';
import type { SandboxImage } from '@switchyard/shared/sandbox/sandbox-image';
import { z } from 'zod';
import { CommandError } from './client/command-error.ts';
import type { ServiceClient } from './client/service-client.ts';

/** A runner that is not connected by then has another problem, which its log shows. */
const CONNECT_TIMEOUT_MS = 60_000;
const CONNECT_POLL_MS = 250;
const Identity = z.object({ runnerId: z.string() });

export type OfferInput = {
  client: Pick<ServiceClient, 'ask'>;
  /** Data folder of the service; its local runner's identity is below it. */
  dataDir: string;
  say(text: string): void;
  /** Asks a question at the terminal; null: there is no terminal. */
  askPerson(question: string): Promise<string | null>;
  signal: AbortSignal;
};

/**
 * Asks once whether to build the sandbox image, where Docker runs and the image is missing; the
 * local runner then builds it in the background and logs the progress. Resolves at once where there
 * is nothing to ask.
 */
export async function offerImage(input: OfferInput): Promise<void> {
  const { client, say, askPerson, signal } = input;
  try {
    const runner = await localRunner(input);
    if (runner === null || runner.isolation === 'docker') return;
    const path = `/runners/${encodeURIComponent(runner.runnerId)}/sandbox-image`;
    const found = await client.ask<SandboxImage>('GET', path);
    if (found.state !== 'missing') return;
    const answer = await askPerson(questionOf(found));
    if (answer === null) return;
    if (isYes(answer)) await client.ask<SandboxImage>('POST', path);
    else say('The Runners page can build it later; with --sandbox process nobody is asked.');
  } catch (error) {
    // The service reports its own problems itself.
    if (!signal.aborted && !(error instanceof CommandError)) throw error;
  }
}

function questionOf({ source, image }: SandboxImage): string {
  return source === 'build'
    ? 'Docker runs here, but the sandbox image is missing. Build it now? It takes about a minute. [Y/n] '
    : `Docker runs here, but the sandbox image ${image} is missing. Pull it now? [Y/n] `;
}

function isYes(answer: string): boolean {
  return answer === '' || /^(y|yes)$/i.test(answer);
}

/** The runner beside this service, once it is connected; null when it does not connect. */
export async function localRunner({
  client,
  dataDir,
  signal,
}: Pick<OfferInput, 'client' | 'dataDir' | 'signal'>): Promise<Runner | null> {
  const endMs = performance.now() + CONNECT_TIMEOUT_MS;
  while (performance.now() < endMs) {
    const runnerId = await localRunnerId(dataDir);
    if (runnerId !== null) {
      const { runners } = await client.ask<{ runners: Runner[] }>('GET', '/runners');
      const found = runners.find(
        (runner) => runner.runnerId === runnerId && runner.status === 'connected',
      );
      if (found !== undefined) return found;
    }
    await delay(CONNECT_POLL_MS, null, { signal });
  }
  return null;
}

async function localRunnerId(dataDir: string): Promise<string | null> {
  const path = join(dataDir, 'runner', 'identity.json');
  const text = await readFile(path, 'utf8').catch(() => 'null');
  try {
    return Identity.safeParse(JSON.parse(text)).data?.runnerId ?? null;
  } catch {
    return null;
  }
}
