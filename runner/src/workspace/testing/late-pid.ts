import { readFile } from 'node:fs/promises';

const MAX_TIMEOUT_MS = 16_000;

/**
 * The process id that a program writes to a file before its time is over. On a busy machine it may not
 * have come so far: then it runs again, with twice the time.
 */
export async function latePid(
  path: string,
  run: (timeoutMs: number) => Promise<void>,
): Promise<number> {
  for (let timeoutMs = 500; timeoutMs <= MAX_TIMEOUT_MS; timeoutMs *= 2) {
    await run(timeoutMs);
    const pid = Number(await readFile(path, 'utf8').catch(() => ''));
    if (pid > 0) return pid;
  }
  throw new Error(`nothing was written to ${path} within ${MAX_TIMEOUT_MS} ms`);
}
