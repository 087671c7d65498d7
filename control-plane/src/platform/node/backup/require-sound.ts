import { createClient } from '@libsql/client';
import { z } from 'zod';

const Integrity = z.object({ integrity_check: z.string() });

/** Throws with SQLite's message when a database file is damaged. */
export async function requireSound(file: string): Promise<void> {
  const client = createClient({ url: `file:${file}` });
  try {
    const { rows } = await client.execute('PRAGMA integrity_check');
    const { integrity_check: found } = Integrity.parse(rows[0]);
    if (found !== 'ok') throw new Error(`${file} is damaged: ${found}`);
  } finally {
    client.close();
  }
}
