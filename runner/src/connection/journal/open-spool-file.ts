import { DatabaseSync } from 'node:sqlite';

/** A writer of another process is waited for this long; the loop stands still meanwhile. */
const LOCK_TIMEOUT_MS = 250;

const SCHEMA = `
create table if not exists streams(
  attempt_id text not null, epoch integer not null, spooled_seq integer not null,
  acked_seq integer not null, digest text not null, bytes integer not null,
  late_since_ms integer, engine text,
  primary key (attempt_id, epoch)
) strict;
create table if not exists events(
  attempt_id text not null, epoch integer not null, seq integer not null, at_ms integer not null,
  kind text not null, payload text not null, bytes integer not null,
  primary key (attempt_id, epoch, seq)
) strict, without rowid;`;

/** Opens or makes the file; `:memory:` for one that nothing outlives. */
export function openSpoolFile(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: LOCK_TIMEOUT_MS });
  db.exec('pragma journal_mode = wal; pragma synchronous = normal;');
  db.exec(SCHEMA);
  return db;
}
