import { Worker } from 'node:worker_threads';
import type { AddedText } from './added-lines.ts';
import type { FoundSecret, FindSecretsRequest } from './find-secrets.ts';

const TIMEOUT_MS = 60_000;
const MAX_HEAP_MB = 512;

type Answer = { id: number; found?: FoundSecret[]; error?: string };
type Waiting = { resolve(found: FoundSecret[]): void; reject(error: Error): void };

let worker: Worker | null = null;
let lastId = 0;
const waiting = new Map<number, Waiting>();

/**
 * Runs `find-secrets.ts` on the texts in a thread that is kept for the next search. Rejects when that
 * takes over a minute: what was not searched is not pushed.
 */
export async function findSecretsInThread(
  files: AddedText[],
  knownSecrets: readonly string[],
): Promise<FoundSecret[]> {
  if (files.length === 0) return [];
  const id = (lastId += 1);
  const thread = (worker ??= startWorker());
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<FoundSecret[]>((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      timer = setTimeout(() => {
        giveUp(thread, new Error('looking for secrets took too long'));
        void thread.terminate();
      }, TIMEOUT_MS);
      thread.postMessage({ id, files, knownSecrets } satisfies FindSecretsRequest, []);
    });
  } finally {
    clearTimeout(timer);
    waiting.delete(id);
  }
}

function startWorker(): Worker {
  const started = new Worker(new URL('./find-secrets.ts', import.meta.url), {
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  // Only a running scan keeps the process alive, and it has a timeout.
  started.unref();
  started.on('message', ({ id, found, error }: Answer) => {
    if (found !== undefined) waiting.get(id)?.resolve(found);
    else waiting.get(id)?.reject(new Error(error ?? 'no answer'));
  });
  started.on('error', (error) =>
    giveUp(started, error instanceof Error ? error : new Error(String(error))),
  );
  started.on('exit', () => giveUp(started, new Error('the search for secrets ended')));
  return started;
}

/** Another thread may have replaced one that has ended; its scans continue. */
function giveUp(thread: Worker, error: Error): void {
  if (worker !== thread) return;
  worker = null;
  for (const one of waiting.values()) one.reject(error);
  waiting.clear();
}
