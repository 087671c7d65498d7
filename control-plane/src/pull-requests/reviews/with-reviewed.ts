import { eq } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { pullRequests } from '../../db/schema/work/pull-requests.ts';
import { AppError } from '../../errors.ts';
import { type ReviewCandidate, reviewCandidates } from './queries.ts';

const MAX_TRIES = 5;

/**
 * Runs a person's action on the current rows of a pull request. `act` returns false when a row was
 * modified since it was read, and is then run again. Throws a 404, or a 409 for a pull request on
 * another host and for one that is modified again and again.
 */
export async function withReviewed(
  db: Database,
  pullRequestId: string,
  act: (candidate: ReviewCandidate) => Promise<boolean>,
): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const [candidate] = await reviewCandidates(db, { pullRequestId });
    if (candidate === undefined) throw await whyUnknown(db, pullRequestId);
    if (await act(candidate)) return;
  }
  throw new AppError('conflict', `pull request ${pullRequestId} keeps changing; reload`);
}

async function whyUnknown(db: Database, id: string): Promise<AppError> {
  const [row] = await db.select().from(pullRequests).where(eq(pullRequests.id, id));
  if (row === undefined) return new AppError('not_found', `pull request ${id} not found`);
  const why = row.code_host === 'local' ? 'its issue is not recorded' : `it is on ${row.code_host}`;
  return new AppError('conflict', `pull request ${id} cannot be reviewed here: ${why}`);
}
