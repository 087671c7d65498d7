import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { z } from 'zod';
import { repositoryRoot } from '../service-version.ts';

const Journal = z.object({ entries: z.array(z.unknown()) });

/** How many migrations a database file has had, and how many this version knows. */
export async function migrationCounts(file: string): Promise<{ applied: number; known: number }> {
  const journal = readFileSync(join(repositoryRoot, 'migrations/meta/_journal.json'), 'utf8');
  const known = Journal.parse(JSON.parse(journal)).entries.length;
  const client = createClient({ url: `file:${file}` });
  try {
    const { rows } = await client.execute('SELECT count(*) FROM __drizzle_migrations');
    return { applied: Number(rows[0]?.[0] ?? 0), known };
  } catch (error) {
    if (error instanceof Error && /no such table|not a database/.test(error.message)) {
      return { applied: 0, known };
    }
    throw error;
  } finally {
    client.close();
  }
}
