import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Root of access folders when the data folder's path is too long for a socket. */
export function accessRoot(dataDir: string): string {
  const root = createHash('sha256').update(dataDir).digest('hex').slice(0, 12);
  return join(tmpdir(), `switchyard-${root}`);
}
