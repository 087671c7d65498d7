import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { createClient } from '@libsql/client';
import { z } from 'zod';
import { requireSound } from './require-sound.ts';

/** The driver is synchronous, so this file runs in a worker thread. */
const Work = z.object({ from: z.string(), to: z.string() });

/**
 * Copies a database that may be in use into a new file: one consistent state without a WAL. Posts
 * `{ bytes, sha256 }`; throws when the copy is damaged.
 */
async function copyDatabase({ from, to }: z.infer<typeof Work>): Promise<void> {
  const source = createClient({ url: `file:${from}` });
  try {
    await source.execute({ sql: 'VACUUM INTO ?', args: [to] });
  } finally {
    source.close();
  }
  await chmod(to, 0o600);
  await requireSound(to);
  const hash = createHash('sha256');
  await pipeline(createReadStream(to), hash);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage({ bytes: (await stat(to)).size, sha256: hash.digest('hex') });
}

await copyDatabase(Work.parse(workerData));
