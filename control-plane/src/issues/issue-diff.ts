import { attemptsOfIssue } from '../attempts/queries.ts';
import { newestDiff } from '../attempts/checkpoints/queries.ts';
import type { Deps } from '../deps.ts';
import { AppError } from '../errors.ts';
import { requireIssue } from './queries.ts';

const ATTEMPTS_LOOKED_AT = 20;

/**
 * Unified diff of an issue's work so far: of the last delivery or the newest snapshot, whichever is
 * newer; the snapshot may belong to a failed attempt. 404 when there is none.
 */
export async function issueDiff(
  deps: Pick<Deps, 'db' | 'blobs'>,
  input: { identifier: string },
): Promise<string> {
  const issue = await requireIssue(deps.db, input.identifier);
  const checkpoint = await newestDiff(deps.db, issue);
  const delivered = (await attemptsOfIssue(deps.db, issue, ATTEMPTS_LOOKED_AT)).find(
    (row) => row.diff_blob !== null,
  );
  const newer = (delivered?.ended_at_ms ?? 0) >= (checkpoint?.created_at_ms ?? 0);
  const key =
    (newer ? delivered?.diff_blob : checkpoint?.diff_blob) ??
    checkpoint?.diff_blob ??
    delivered?.diff_blob;
  const bytes = key === undefined || key === null ? null : await deps.blobs.get(key);
  if (bytes === null) throw new AppError('not_found', `diff of ${issue.identifier} not found`);
  return new TextDecoder().decode(bytes);
}
