import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { whileHolding } from '../../control-plane/cli/hold-data-folder.ts';
import { repositoryRoot } from '../../control-plane/src/platform/node/service-version.ts';
import { openDatabase } from '../../control-plane/src/platform/node/database/open-database.ts';

export type HistorySize = { issues: number; attempts: number; events: number };
export const LONG_HISTORY: HistorySize = { issues: 2_000, attempts: 20_000, events: 200_000 };
/** Events of one flush, as a busy attempt stores them. */
const EVENTS_PER_CHUNK = 5;
const ZERO = '{"input":900,"cachedInput":100,"output":100,"reasoning":0,"total":1000}';

/** `SERVICE_PUBLIC_ORIGIN` of whoever uses the history: with another one every issue has changed. */
export const HISTORY_ORIGIN = 'http://switchyard.bench';

/**
 * Fills a data folder's database with work that is done, a quarter of it failed. Holds the folder: this
 * process may keep the file open, and a service takes that for one that knew no hold.
 */
export function seedHistory(dataDir: string, size: HistorySize = LONG_HISTORY): Promise<void> {
  return whileHolding(dataDir, 'bench', () => fill(dataDir, size));
}

async function fill(dataDir: string, size: HistorySize): Promise<void> {
  const { db, close } = await openDatabase(
    join(dataDir, 'switchyard.db'),
    join(repositoryRoot, 'migrations'),
  );
  const startMs = Date.now() - 7 * 86_400_000;
  const numbers = (count: number) =>
    sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;
  // Written out, because a bound number would be a fraction to the database.
  const perIssue = sql.raw(String(Math.floor(size.attempts / size.issues)));
  const chunks = Math.floor(size.events / EVENTS_PER_CHUNK);
  const chunksPerAttempt = Math.floor(chunks / size.attempts);
  const perAttempt = sql.raw(String(chunksPerAttempt));
  const perChunk = sql.raw(String(EVENTS_PER_CHUNK));
  const item = JSON.stringify({
    type: 'attempt.event',
    atMs: startMs,
    data: {
      kind: 'item',
      payload: { state: 'ended', item: { type: 'text', text: 'x'.repeat(300) } },
    },
  });
  const items = `[${Array.from({ length: EVENTS_PER_CHUNK }, () => item).join(',')}]`;
  try {
    await db.batch([
      db.run(sql`${numbers(size.issues)} insert into local_issues
        (id, number, identifier, title, description, state, labels, blocked_by, created_at_ms, updated_at_ms)
        select 'iss_' || i, i, 'SY-' || i, 'Issue ' || i, 'What is to be done.', 'Done', '[]', '[]',
          ${startMs} + i, ${startMs} + i from n`),
      db.run(sql`${numbers(size.issues)} insert into issues
        (tracker, id, identifier, title, description, state, url, labels, blocked_by, dispatchable,
         created_at_ms, updated_at_ms, status, reason, current_attempt_id, attempt_count, tokens)
        select 'local', 'iss_' || i, 'SY-' || i, 'Issue ' || i, 'What is to be done.', 'Done',
          ${HISTORY_ORIGIN} || '/issues/SY-' || i, '[]', '[]', 1, ${startMs} + i, ${startMs} + i, iif(i % 4 = 0, 'failed', 'completed'), null,
          'att_' || (i * ${perIssue}), ${perIssue}, ${ZERO} from n`),
      db.run(sql`${numbers(size.attempts)} insert into attempts
        (attempt_id, tracker, issue_id, identifier, issue_state, number, status, outcome, epoch,
         last_seq, digest, spec, repository_url, tokens, queued_at_ms, started_at_ms, ended_at_ms,
         released_at_ms, summary)
        select 'att_' || i, 'local', 'iss_' || ((i - 1) / ${perIssue} + 1),
          'SY-' || ((i - 1) / ${perIssue} + 1), 'Todo', (i - 1) % ${perIssue} + 1,
          iif(i % 4 = 0, 'failed', 'completed'), iif(i % 4 = 0, 'failed', 'completed'), 1,
          ${chunksPerAttempt * EVENTS_PER_CHUNK}, '', ${JSON.stringify({ prompt: 'p'.repeat(2_000) })},
          'file:///srv/repositories/bench', ${ZERO}, ${startMs} + i, ${startMs} + i, ${startMs} + i,
          ${startMs} + i, 'It is done.' from n`),
      db.run(sql`${numbers(chunks)} insert into event_chunks
        (first_seq, last_seq, attempt_id, epoch, from_runner_seq, at_ms, items)
        select (i - 1) * ${perChunk} + 1, i * ${perChunk},
          'att_' || ((i - 1) / ${perAttempt} + 1), 1,
          ((i - 1) % ${perAttempt}) * ${perChunk} + 1, ${startMs} + i, ${items} from n`),
      db.run(sql`insert or replace into counters (name, value) values
        ('event_seq', ${size.events}), ('local_issue_number', ${size.issues})`),
    ]);
  } finally {
    close();
  }
}
