import { desc } from 'drizzle-orm';
import type { Database } from '../../../db/database.ts';
import { auditChain } from '../../../db/schema/operation/audit-chain.ts';
import { CHAIN_START, entryHash } from './entry-hash.ts';
import { entriesAfter } from './queries.ts';

const ENTRIES_PER_BATCH = 500;
/** Limit for one run, so that a long unsealed log does not delay other work. */
const BATCHES_PER_RUN = 4;

/**
 * Seals the entries without a seal, in order, each over its predecessor. Only the leading instance
 * calls it: another writer's seal for the same entry aborts the batch. Returns how many were
 * sealed; more may be left.
 */
export async function sealEntries({ db }: { db: Database }): Promise<number> {
  const [last] = await db.select().from(auditChain).orderBy(desc(auditChain.entry)).limit(1);
  let { entry, hash } = last ?? { entry: 0, hash: CHAIN_START };
  let sealed = 0;
  for (let batch = 0; batch < BATCHES_PER_RUN; batch += 1) {
    const rows = await entriesAfter(db, entry, ENTRIES_PER_BATCH);
    const seals: { entry: number; hash: string }[] = [];
    for (const row of rows) {
      hash = await entryHash(hash, row);
      entry = row.entry;
      seals.push({ entry, hash });
    }
    if (seals.length > 0) await db.insert(auditChain).values(seals);
    sealed += seals.length;
    if (rows.length < ENTRIES_PER_BATCH) break;
  }
  return sealed;
}
