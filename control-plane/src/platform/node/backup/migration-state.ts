import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { commandText } from '@switchyard/shared/text/command-text';
import { someCauseSays } from '@switchyard/shared/causes-of';
import { z } from 'zod';
import { OpenedBy, VERSION_FACT } from '../../../db/record-version.ts';
import { repositoryRoot, serviceVersion } from '../service-version.ts';

const Journal = z.object({ entries: z.array(z.object({ tag: z.string(), when: z.number() })) });

/** The migrations of this version. */
export const migrationsFolder = join(repositoryRoot, 'migrations');

/**
 * The migrations of a database compared with this version's. `none`: no migration was applied;
 * `too_old`: created before the first one; `newer`: it has later ones.
 */
export type MigrationState = {
  is: 'none' | 'too_old' | 'behind' | 'current' | 'newer';
  /** Number of this version's migrations that were applied. */
  applied: number;
  known: number;
  /** Name of its newest migration; null: unknown to this version. */
  schema: string | null;
  /** Version that last opened it; null: not stored. */
  openedBy: string | null;
};

/** Runs one query on a database. */
type Ask = (sql: string) => Promise<{ rows: readonly Readonly<Record<number, unknown>>[] }>;

/** The migration state of a database file, which is only read. */
export async function migrationState(
  file: string,
  folder: string = migrationsFolder,
): Promise<MigrationState> {
  const client = createClient({ url: `file:${file}` });
  try {
    return await readMigrationState((sql) => client.execute(sql), folder);
  } catch (error) {
    if (someCauseSays(error, /not a database/)) return judge(0, null, folder);
    throw error;
  } finally {
    client.close();
  }
}

/** The migration state of the database that `ask` queries. */
export async function readMigrationState(
  ask: Ask,
  folder: string = migrationsFolder,
): Promise<MigrationState> {
  const newestAtMs = await newestMigrationAtMs(ask);
  return judge(newestAtMs, newestAtMs === 0 ? null : await openedBy(ask), folder);
}

/** Creation time of the newest applied migration, by which migrations are ordered; 0: none. */
export async function newestMigrationAtMs(ask: Ask): Promise<number> {
  const { rows } = await ask('SELECT max(created_at) FROM __drizzle_migrations').catch(
    (error: unknown) => {
      if (someCauseSays(error, /no such table/)) return { rows: [] };
      throw error;
    },
  );
  return Number(rows[0]?.[0] ?? 0);
}

async function openedBy(ask: Ask): Promise<OpenedBy | null> {
  const { rows } = await ask(`SELECT value FROM facts WHERE name = '${VERSION_FACT}'`).catch(
    (error: unknown) => {
      // A later version may store it elsewhere.
      if (someCauseSays(error, /no such (table|column)/)) return { rows: [] };
      throw error;
    },
  );
  try {
    return OpenedBy.parse(JSON.parse(String(rows[0]?.[0])));
  } catch {
    return null;
  }
}

function judge(newestAtMs: number, found: OpenedBy | null, folder: string): MigrationState {
  // Migrations are newer than the stored name: a later version ended before it could store its own.
  const opened = found !== null && found.schemaAtMs < newestAtMs ? null : found;
  const entries = readJournal(folder);
  const had = entries.filter(({ when }) => when <= newestAtMs);
  const isNewer = newestAtMs > (entries.at(-1)?.when ?? 0);
  const state = {
    applied: had.length,
    known: entries.length,
    schema: (isNewer ? opened?.schema : had.at(-1)?.tag) ?? null,
    openedBy: opened?.version ?? null,
  };
  if (newestAtMs === 0) return { is: 'none', ...state };
  if (had.length === 0) return { is: 'too_old', ...state };
  if (isNewer) return { is: 'newer', ...state };
  return { is: had.length < entries.length ? 'behind' : 'current', ...state };
}

function readJournal(folder: string): z.infer<typeof Journal>['entries'] {
  return Journal.parse(JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8')))
    .entries;
}

/** What this version records in a database that it opens. */
export function ownVersion(folder: string = migrationsFolder): OpenedBy {
  const newest = readJournal(folder).at(-1);
  if (newest === undefined) throw new Error(`${folder} has no migration`);
  return { version: serviceVersion, schema: newest.tag, schemaAtMs: newest.when };
}

/** Throws, with advice, for a database that this version can neither use nor migrate. */
export function requireKnownMigrations(state: MigrationState, name: string): void {
  if (state.is === 'newer') {
    const theirs = state.openedBy ?? 'a version that did not leave its name';
    const restore = commandText('backup --restore FILE', process.env);
    throw new Error(
      `${name} is of a newer version than this: it was last opened by ${versionText(theirs, state.schema)}, ` +
        `and this is ${versionText(serviceVersion, ownVersion().schema)}. Nothing was changed: install ` +
        `${state.openedBy ?? 'the version that it came from'}, or restore a copy from before its upgrade with "${restore}"`,
    );
  }
  if (state.is === 'too_old')
    throw new Error(
      `${name} is of a version before 0.1.0, which ${serviceVersion} cannot bring up to date: move it away and start anew`,
    );
}

/** A version for people: `0.1.0+ab1a567c (schema 0003_pauses)`. */
export function versionText(version: string, schema: string | null): string {
  return schema === null ? version : `${version} (schema ${schema})`;
}
