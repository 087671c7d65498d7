import { and, desc, isNotNull, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Database } from '../../db/database.ts';
import { eventChunks, type StoredEvent } from '../../db/schema/operation/events.ts';
import { issues } from '../../db/schema/work/issues.ts';
import { localIssues } from '../../db/schema/work/local-issues.ts';
import { pullRequests } from '../../db/schema/work/pull-requests.ts';

/** Newest rows of each list that are searched, within the limit of bytes below. */
const ISSUES_SCANNED = 2_000;
const PULL_REQUESTS_SCANNED = 1_000;
const CHUNKS_SCANNED = 3_000;
const LIST_BYTES = 8 * 1_024 * 1_024;
/** Results that each piece returns at most. */
const FOUND_ROWS = 60;
export const FOUND_CHUNKS = 20;
/** Bytes that are searched without a pause for other work: some milliseconds. */
const PIECE_BYTES = 512 * 1_024;

export type FoundIssue = {
  identifier: string;
  title: string;
  description: string | null;
  state: string;
  labels: string[];
};
export type FoundChunk = { first_seq: number; attempt_id: string | null; items: StoredEvent[] };
export type FoundPullRequest = Awaited<ReturnType<typeof readPullRequests>>[number];

/**
 * The results of one list in pieces, newest rows first; each piece is read after the previous one
 * was handled.
 */
export type Pieces<Row> = AsyncIterable<Row[]>;

/**
 * Issues that contain every word: first those of the built-in tracker, then those of every tracker.
 */
export async function* issuesWithTerms(db: Database, terms: Terms): Pieces<FoundIssue> {
  const lists = [localIssues, issues].map((table) =>
    inPieces(db, newestIssues(db, table), (rows) => readIssues(db, { table, rows, terms })),
  );
  // If the database does not block this process, both lists are read concurrently.
  const first = db.blocks === true ? [] : lists.map((list) => list.next());
  for (const one of await Promise.all(first)) if (one.done !== true) yield one.value;
  for (const list of lists) yield* list;
}

/** Pull requests that contain every word. */
export function pullRequestsWithTerms(db: Database, terms: Terms): Pieces<FoundPullRequest> {
  const { title, body } = pullRequests;
  const newest = db
    .select({
      key: sql`rowid`.as('row_key'),
      at: sql`rowid`.as('at'),
      bytes: bytesOf([title, body]),
    })
    .from(pullRequests)
    .orderBy(desc(sql`rowid`))
    .limit(PULL_REQUESTS_SCANNED);
  return inPieces(db, newest, (rows) => readPullRequests(db, rows, terms));
}

/** Chunks of attempts' events that contain every word. */
export function chunksWithTerms(db: Database, terms: Terms): Pieces<FoundChunk> {
  const { first_seq, items } = eventChunks;
  const newest = db
    .select({
      key: sql`${first_seq}`.as('row_key'),
      at: sql`${first_seq}`.as('at'),
      bytes: bytesOf([items]),
    })
    .from(eventChunks)
    .where(isNotNull(eventChunks.attempt_id))
    .orderBy(desc(first_seq))
    .limit(CHUNKS_SCANNED);
  return inPieces(db, newest, (rows) => readChunks(db, rows, terms));
}

/** SQL for the set of row keys of one piece. */
type Rows = SQL;

/**
 * Reads a list in pieces of similar size in bytes. The rows of each piece are determined first,
 * since concurrent changes would otherwise move rows between pieces. A database that does not block
 * this process reads all of it at once.
 */
async function* inPieces<Row>(
  db: Database,
  newest: { getSQL(): SQL },
  read: (rows: Rows) => Promise<Row[]>,
): AsyncGenerator<Row[], void> {
  // Selects lengths only, so that the database does not read texts beyond the limit.
  const sums = sql`(select row_key, sum(bytes) over (order by at desc, row_key desc) as sum from (${newest.getSQL()}))`;
  const rows = sql`(select row_key from ${sums} where sum <= ${LIST_BYTES})`;
  if (db.blocks !== true) {
    yield await read(rows);
    return;
  }
  const pieces = await db.all<{ keys: string }>(
    sql`select json_group_array(row_key) as keys from ${sums} where sum <= ${LIST_BYTES} group by cast((sum - 1) / ${PIECE_BYTES} as integer) order by min(sum)`,
  );
  for (const { keys } of pieces) yield await read(sql`(select value from json_each(${keys}))`);
}

/** Adds 1, so that the sums differ for each row. */
function bytesOf(columns: readonly SQLiteColumn[]) {
  const lengths = columns.map((column) => sql`coalesce(octet_length(${column}), 0)`);
  return sql`(1 + ${sql.join(lengths, sql` + `)})`.as('bytes');
}

function newestIssues(db: Database, table: typeof issues | typeof localIssues) {
  return db
    .select({
      key: sql`rowid`.as('row_key'),
      at: sql`${table.updated_at_ms}`.as('at'),
      bytes: bytesOf([table.title, table.description, table.labels]),
    })
    .from(table)
    .orderBy(desc(table.updated_at_ms), desc(sql`rowid`))
    .limit(ISSUES_SCANNED);
}

function readIssues(
  db: Database,
  given: { table: typeof issues | typeof localIssues; rows: Rows; terms: Terms },
): Promise<FoundIssue[]> {
  const { table, rows, terms } = given;
  const { identifier, title, description, state, labels } = table;
  return db
    .select({ identifier, title, description, state, labels })
    .from(table)
    .where(and(sql`rowid in ${rows}`, hasTerms(terms, [identifier, title, labels, description])))
    .orderBy(desc(termsIn(terms, [identifier, title])), desc(table.updated_at_ms))
    .limit(FOUND_ROWS);
}

function readPullRequests(db: Database, rows: Rows, terms: Terms) {
  const { id, number, code_host, title, body, branch, status, url } = pullRequests;
  const identifier = pullRequests.issue_identifier;
  return db
    .select({ id, number, code_host, title, body, branch, status, identifier, url })
    .from(pullRequests)
    .where(and(sql`rowid in ${rows}`, hasTerms(terms, [title, body, branch, identifier])))
    .orderBy(desc(termsIn(terms, [title])), desc(pullRequests.created_at_ms))
    .limit(FOUND_ROWS);
}

function readChunks(db: Database, rows: Rows, terms: Terms): Promise<FoundChunk[]> {
  const { first_seq, attempt_id, items } = eventChunks;
  const asJson = terms.map((word) => JSON.stringify(word).slice(1, -1));
  return db
    .select({ first_seq, attempt_id, items })
    .from(eventChunks)
    .where(and(sql`${first_seq} in ${rows}`, hasTerms(asJson, [items])))
    .orderBy(desc(first_seq))
    .limit(FOUND_CHUNKS);
}

type Terms = readonly string[];
type Column = SQLiteColumn | SQL | SQL.Aliased;

function hasTerms(terms: Terms, columns: readonly Column[]): SQL | undefined {
  return and(...terms.map((word) => occurs(word, columns)));
}

/** SQL for how many of the terms occur. */
function termsIn(terms: Terms, columns: readonly Column[]): SQL {
  return sql.join(
    terms.map((word) => sql`(${occurs(word, columns)})`),
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

/** SQLite's lower() converts only A to Z, so other letters are searched in both cases. */
function spellings(word: string): string[] {
  const asciiLower = (text: string) => text.replace(/[A-Z]+/g, (part) => part.toLowerCase());
  const [first = ''] = word;
  const capital = `${first.toUpperCase()}${word.slice(first.length)}`;
  return [...new Set([word, asciiLower(word.toUpperCase()), asciiLower(capital)])];
}
