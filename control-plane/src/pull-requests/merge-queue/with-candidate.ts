import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { type MergeCandidate, mergeCandidates } from './queries.ts';

const MAX_TRIES = 5;

/**
 * Runs a person's action on a pull request as it is now; undefined: it is unknown, or on another
 * host. `act` returns false when something was modified since it was read, and is then run again.
 * Throws a 409 if that happens again and again.
 */
export async function withCandidate(
  { db, wake }: Pick<Deps, 'db' | 'wake'>,
  pullRequestId: string,
  act: (candidate: MergeCandidate | undefined) => Promise<boolean>,
): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const [candidate] = await mergeCandidates(db, { pullRequestId });
    if (await act(candidate)) return wake();
  }
  throw new AppError('conflict', `pull request ${pullRequestId} keeps changing; reload`);
}
