import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { z } from 'zod';
import { repositoryRoot, serviceVersion } from '../service-version.ts';

const Journal = z.object({ entries: z.array(z.object({ when: z.number() })) });

/** The migrations of this version. */
export const migrationsFolder = join(repositoryRoot, 'migrations');

/**
 * How a database stands to the migrations of this version. `none`: it has had none; `too_old`: it was
 * made before the first of them; `newer`: it has had later ones.
 */
export type MigrationState = {
  is: 'none' | 'too_old' | 'behind' | 'current' | 'newer';
  /** Of the migrations that this version knows, how many it has had. */
  applied: number;
  known: number;
};

export async function migrationState(
  file: string,
  folder: string = migrationsFolder,
): Promise<MigrationState> {
  const client = createClient({ url: `file:${file}` });
  try {
    const { rows } = await client.execute(NEWEST_MIGRATION);
    return judgeMigrations(Number(rows[0]?.[0] ?? 0), folder);
  } catch (error) {
    if (error instanceof Error && /no such table|not a database/.test(error.message))
      return judgeMigrations(0, folder);
    throw error;
  } finally {
    client.close();
  }
}

/** When the newest migration was made that a database has had; its record holds no other order. */
export const NEWEST_MIGRATION = 'SELECT max(created_at) FROM __drizzle_migrations';

/** The state of a database whose newest migration was made then; 0: it has had none. */
export function judgeMigrations(
  newestAtMs: number,
  folder: string = migrationsFolder,
): MigrationState {
  const journal = readFileSync(join(folder, 'meta/_journal.json'), 'utf8');
  const known = Journal.parse(JSON.parse(journal)).entries.map(({ when }) => when);
  const applied = known.filter((when) => when <= newestAtMs).length;
  const counts = { applied, known: known.length };
  if (newestAtMs === 0) return { is: 'none', ...counts };
  if (applied === 0) return { is: 'too_old', ...counts };
  if (newestAtMs > (known.at(-1) ?? 0)) return { is: 'newer', ...counts };
  return { is: applied < known.length ? 'behind' : 'current', ...counts };
}

/** Throws, with what to do, for a database that this version can neither use nor bring up to date. */
export function requireKnownMigrations({ is }: MigrationState, name: string): void {
  if (is === 'newer')
    throw new Error(
      `${name} is of a newer version than ${serviceVersion}: install that version, or restore an older backup with "switchyard backup --restore FILE"`,
    );
  if (is === 'too_old')
    throw new Error(
      `${name} is of a version before 0.1.0, which ${serviceVersion} cannot bring up to date: move it away and start anew`,
    );
}
