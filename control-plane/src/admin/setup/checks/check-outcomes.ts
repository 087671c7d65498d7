import type { SetupStepName } from '@switchyard/shared/api/admin/setup';
import { like } from 'drizzle-orm';
import { z } from 'zod';
import type { Database, Statement } from '../../../db/database.ts';
import { facts } from '../../../db/schema/admin/config.ts';
import { setFact } from '../../../db/set-fact.ts';

const PREFIX = 'setup_check_';

const Outcome = z.object({
  /** What was checked, as the text from `checkSubjects`. */
  subject: z.string(),
  /**
   * When the present setting was first checked, epoch milliseconds; 0 for settings from before any
   * check.
   */
  sinceMs: z.number(),
  atMs: z.number(),
  ok: z.boolean(),
  message: z.string(),
  warnings: z.array(z.string()),
});
export type CheckOutcome = z.infer<typeof Outcome>;
export type CheckOutcomes = Partial<Record<SetupStepName, CheckOutcome>>;

/** The result of each step's last check, whatever was configured then. */
export async function readOutcomes(db: Database): Promise<CheckOutcomes> {
  const rows = await db
    .select()
    .from(facts)
    .where(like(facts.name, `${PREFIX}%`));
  const read = rows.flatMap(({ name, value }) => {
    const outcome = Outcome.safeParse(value);
    return outcome.success ? [[name.slice(PREFIX.length), outcome.data] as const] : [];
  });
  return Object.fromEntries(read);
}

/** The statement that stores the result of a check in place of the previous one. */
export function keepOutcome(
  db: Database,
  step: SetupStepName,
  found: Omit<CheckOutcome, 'sinceMs'>,
  before: CheckOutcome | undefined,
): Statement {
  const isSame = before?.subject === found.subject;
  const sinceMs = before === undefined ? 0 : isSame ? before.sinceMs : found.atMs;
  return setFact(db, found.atMs, `${PREFIX}${step}`, { ...found, sinceMs });
}
