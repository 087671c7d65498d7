import { sql } from 'drizzle-orm';
import type { Database } from '../../../db/database.ts';
import { CHAIN_START, type SealableEntry, entryHash } from './entry-hash.ts';
import { entriesAfter, sealsAfter } from './queries.ts';

const ENTRIES_PER_PAGE = 1_000;

/**
 * `changed`: an entry or its seal was modified. `missing`: a sealed entry was deleted. `unsealed`:
 * an entry was inserted between sealed ones. `truncated`: the newest entries were deleted.
 */
type ChainProblem = 'changed' | 'missing' | 'unsealed' | 'truncated';

export type ChainVerification = {
  ok: boolean;
  /** Number of sealed entries that are intact. */
  verified: number;
  /** Number of newest entries that are not sealed yet. */
  unsealed: number;
  firstBroken: { entry: number; problem: ChainProblem } | null;
  /** The newest seal; a copy kept elsewhere later proves that nothing before it was changed. */
  head: { entry: number; hash: string } | null;
};

type Bounds = { head_entry: number | null; unsealed: number; newest: number; numbered: number };

/**
 * Recomputes every seal and reports the first entry that does not match. Reads the whole log page
 * by page: callers must not run it twice at once.
 */
export async function verifyChain(db: Database): Promise<ChainVerification> {
  const bounds = await readBounds(db);
  const upTo = bounds.head_entry ?? 0;
  let cursor = 0;
  let hash = CHAIN_START;
  let verified = 0;
  const result = (firstBroken: ChainVerification['firstBroken']): ChainVerification => ({
    ok: firstBroken === null,
    verified,
    unsealed: bounds.unsealed,
    firstBroken,
    head: firstBroken === null && verified > 0 ? { entry: upTo, hash } : null,
  });
  while (cursor < upTo) {
    const page = await checkPage(db, { cursor, upTo, hash });
    verified += page.verified;
    if (page.broken !== null) return result(page.broken);
    ({ cursor, hash } = page);
  }
  const isTruncated = bounds.numbered > bounds.newest;
  return result(isTruncated ? { entry: bounds.newest + 1, problem: 'truncated' } : null);
}

type Page = {
  cursor: number;
  hash: string;
  verified: number;
  broken: ChainVerification['firstBroken'];
};

async function checkPage(
  db: Database,
  from: { cursor: number; upTo: number; hash: string },
): Promise<Page> {
  const [entries, seals] = await Promise.all([
    entriesAfter(db, from.cursor, ENTRIES_PER_PAGE),
    sealsAfter(db, from.cursor, ENTRIES_PER_PAGE),
  ]);
  // Entries beyond the shorter page cannot be compared yet.
  const limit = Math.min(from.upTo, fullPageEnd(entries), fullPageEnd(seals));
  const entryByNumber = new Map(entries.map((row) => [row.entry, row]));
  const sealByNumber = new Map(seals.map((seal) => [seal.entry, seal.hash]));
  const numbers = [...new Set([...entryByNumber.keys(), ...sealByNumber.keys()])]
    .filter((number) => number <= limit)
    .sort((a, b) => a - b);
  let { hash } = from;
  let verified = 0;
  for (const number of numbers) {
    const seal = sealByNumber.get(number);
    const checked = await checkEntry(hash, entryByNumber.get(number), seal);
    if (typeof checked !== 'string') {
      return { cursor: number, hash, verified, broken: { entry: number, ...checked } };
    }
    hash = checked;
    verified += 1;
  }
  return { cursor: limit, hash, verified, broken: null };
}

/** The entry's hash, or its problem. */
async function checkEntry(
  previousHash: string,
  row: SealableEntry | undefined,
  seal: string | undefined,
): Promise<string | { problem: ChainProblem }> {
  if (row === undefined) return { problem: 'missing' };
  if (seal === undefined) return { problem: 'unsealed' };
  const hash = await entryHash(previousHash, row);
  return hash === seal ? hash : { problem: 'changed' };
}

function fullPageEnd(rows: readonly { entry: number }[]): number {
  const isFull = rows.length === ENTRIES_PER_PAGE;
  return isFull ? (rows.at(-1)?.entry ?? 0) : Number.POSITIVE_INFINITY;
}

/** The numbers that entries must have: they come from a counter that a deletion does not lower. */
async function readBounds(db: Database): Promise<Bounds> {
  const row = await db.get<Bounds>(sql`select
    (select max(entry) from audit_chain) as head_entry,
    (select count(*) from audit
      where entry > coalesce((select max(entry) from audit_chain), 0)) as unsealed,
    coalesce((select max(entry) from audit), 0) as newest,
    coalesce((select seq from sqlite_sequence where name = 'audit'), 0) as numbered`);
  return row ?? { head_entry: null, unsealed: 0, newest: 0, numbered: 0 };
}
