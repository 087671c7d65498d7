import { and, desc, inArray, isNotNull, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Database } from '../../db/database.ts';
import { eventChunks, type StoredEvent } from '../../db/schema/operation/events.ts';
import { issues } from '../../db/schema/work/issues.ts';
import { localIssues } from '../../db/schema/work/local-issues.ts';
import { pullRequests } from '../../db/schema/work/pull-requests.ts';

/** So many of the newest rows of each list are looked through, and so many of them answered. */
const ISSUES_SCANNED = 2_000;
const PULL_REQUESTS_SCANNED = 1_000;
const FOUND_ROWS = 60;
/** Of the log the newest chunks, as far as they stay within these bytes. */
const CHUNKS_SCANNED = 3_000;
const LOG_BYTES_SCANNED = 8 * 1_024 * 1_024;
const FOUND_CHUNKS = 20;

export type FoundIssue = {
  identifier: string;
  title: string;
  description: string | null;
  state: string;
  labels: string[];
};

/** Issues, also those that only the built-in tracker knows, in which every word occurs. */
export async function issuesWithWords(
  db: Database,
  words: readonly string[],
): Promise<FoundIssue[]> {
  const [known, local] = await db.batch([
    issuesOf(db, issues, words),
    issuesOf(db, localIssues, words),
  ]);
  const found = new Map<string, FoundIssue>();
  for (const row of [...local, ...known]) found.set(row.identifier, row);
  return [...found.values()];
}

function issuesOf(db: Database, table: typeof issues | typeof localIssues, words: Words) {
  const recent = db
    .select({
      identifier: table.identifier,
      title: table.title,
      description: table.description,
      state: table.state,
      labels: table.labels,
      updated_at_ms: table.updated_at_ms,
    })
    .from(table)
    .orderBy(desc(table.updated_at_ms))
    .limit(ISSUES_SCANNED)
    .as('recent');
  const { identifier, title, description, state, labels } = recent;
  return db
    .select({ identifier, title, description, state, labels })
    .from(recent)
    .where(hasWords(words, [identifier, title, labels, description]))
    .orderBy(desc(wordsIn(words, [identifier, title])), desc(recent.updated_at_ms))
    .limit(FOUND_ROWS);
}

/** Pull requests in which every word occurs. */
export function pullRequestsWithWords(db: Database, words: readonly string[]) {
  const recent = db
    .select({
      id: pullRequests.id,
      number: pullRequests.number,
      code_host: pullRequests.code_host,
      title: pullRequests.title,
      body: pullRequests.body,
      branch: pullRequests.branch,
      status: pullRequests.status,
      identifier: pullRequests.issue_identifier,
      url: pullRequests.url,
      created_at_ms: pullRequests.created_at_ms,
    })
    .from(pullRequests)
    .orderBy(desc(sql`rowid`))
    .limit(PULL_REQUESTS_SCANNED)
    .as('recent');
  const { title, body, branch, identifier } = recent;
  return db
    .select()
    .from(recent)
    .where(hasWords(words, [title, body, branch, identifier]))
    .orderBy(desc(wordsIn(words, [title])), desc(recent.created_at_ms))
    .limit(FOUND_ROWS);
}

/** The newest chunks of attempts' events in which every word occurs, newest first. */
export async function chunksWithWords(
  db: Database,
  words: readonly string[],
): Promise<{ first_seq: number; attempt_id: string | null; items: StoredEvent[] }[]> {
  // Lengths alone: the database then leaves the texts beyond the bound on the disk.
  const sizes = db
    .select({ seq: eventChunks.first_seq, bytes: sql`octet_length(items)`.as('bytes') })
    .from(eventChunks)
    .where(isNotNull(eventChunks.attempt_id))
    .orderBy(desc(eventChunks.first_seq))
    .limit(CHUNKS_SCANNED)
    .as('sizes');
  const sums = db
    .select({
      seq: sizes.seq,
      sum: sql<number>`sum(bytes) over (order by first_seq desc)`.as('sum'),
    })
    .from(sizes)
    .as('sums');
  const within = db
    .select({ seq: sql`first_seq` })
    .from(sums)
    .where(sql`sum <= ${LOG_BYTES_SCANNED}`);
  const asJson = words.map((word) => JSON.stringify(word).slice(1, -1));
  return db
    .select({
      first_seq: eventChunks.first_seq,
      attempt_id: eventChunks.attempt_id,
      items: eventChunks.items,
    })
    .from(eventChunks)
    .where(and(inArray(eventChunks.first_seq, within), hasWords(asJson, [eventChunks.items])))
    .orderBy(desc(eventChunks.first_seq))
    .limit(FOUND_CHUNKS);
}

type Words = readonly string[];
type Column = SQLiteColumn | SQL | SQL.Aliased;

function hasWords(words: Words, columns: readonly Column[]): SQL | undefined {
  return and(...words.map((word) => occurs(word, columns)));
}

/** How many of the words occur. */
function wordsIn(words: Words, columns: readonly Column[]): SQL {
  return sql.join(
    words.map((word) => sql`(${occurs(word, columns)})`),
    sql` + `,
  );
}

function occurs(word: string, columns: readonly Column[]): SQL | undefined {
  return or(
    ...columns.flatMap((column) =>
      spellings(word).map(
        (spelling) => sql`instr(lower(coalesce(${column}, '')), ${spelling}) > 0`,
      ),
    ),
  );
}

/** SQLite's lower() knows A to Z only: other letters are looked for in both cases. */
function spellings(word: string): string[] {
  const asciiLower = (text: string) => text.replace(/[A-Z]+/g, (part) => part.toLowerCase());
  const [first = ''] = word;
  const capital = `${first.toUpperCase()}${word.slice(first.length)}`;
  return [...new Set([word, asciiLower(word.toUpperCase()), asciiLower(capital)])];
}
