import { eq } from 'drizzle-orm';
import type { Database, Statement } from './database.ts';
import { facts } from './schema/admin/config.ts';

/**
 * Returns the statement that stores a value in the table `facts` under a name, replacing the former
 * one.
 */
export function setFact(
  db: Database,
  nowMs: number,
  name: string,
  value: Record<string, unknown>,
): Statement {
  const set = { value, updated_at_ms: nowMs };
  return db
    .insert(facts)
    .values({ name, ...set })
    .onConflictDoUpdate({ target: facts.name, set });
}

/** The statement that stores an immutable fact unless it exists. */
export function setFactOnce(
  db: Database,
  nowMs: number,
  name: string,
  value: Record<string, unknown>,
): Statement {
  return db.insert(facts).values({ name, value, updated_at_ms: nowMs }).onConflictDoNothing();
}

/** The statement that deletes a fact. */
export function deleteFact(db: Database, name: string): Statement {
  return db.delete(facts).where(eq(facts.name, name));
}
