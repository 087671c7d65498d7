import { inArray } from 'drizzle-orm';
import { z } from 'zod';
import { setFact } from '../../db/set-fact.ts';
import type { Database, Statement } from '../../db/database.ts';
import { facts } from '../../db/schema/admin/config.ts';

const MASTER_KEY_FACT = 'setup_master_key';
const TEST_ISSUE_FACT = 'setup_test_issue';

const MasterKeyFact = z.object({ keyId: z.string(), atMs: z.number() });
const TestIssueFact = z.object({ identifier: z.string() });

/** What the setup wizard itself stores, since no other table and no setting shows it. */
export type SetupFacts = {
  /** The master key of which a person confirmed a copy, and when; null: none. */
  masterKey: z.infer<typeof MasterKeyFact> | null;
  /** Identifier of the test issue; null when there is none. */
  testIssue: string | null;
};

export async function readSetupFacts(db: Database): Promise<SetupFacts> {
  const names = [MASTER_KEY_FACT, TEST_ISSUE_FACT];
  const rows = await db.select().from(facts).where(inArray(facts.name, names));
  const valueOf = (name: string) => rows.find((row) => row.name === name)?.value;
  const masterKey = MasterKeyFact.safeParse(valueOf(MASTER_KEY_FACT));
  const testIssue = TestIssueFact.safeParse(valueOf(TEST_ISSUE_FACT));
  return {
    masterKey: masterKey.success ? masterKey.data : null,
    testIssue: testIssue.success ? testIssue.data.identifier : null,
  };
}

export function rememberMasterKey(db: Database, nowMs: number, keyId: string): Statement {
  return setFact(db, nowMs, MASTER_KEY_FACT, { keyId, atMs: nowMs });
}

export function rememberTestIssue(db: Database, nowMs: number, identifier: string): Statement {
  return setFact(db, nowMs, TEST_ISSUE_FACT, { identifier });
}
