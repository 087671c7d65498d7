import { AppError } from '../../../errors.ts';
import type { Blobs } from '../../../ports/ports.ts';
import type { LocalCodeHostDeps } from './local-code-host-deps.ts';
import { requirePullRequest } from './queries.ts';

/**
 * The unified diff that the runner stored. Throws a 404 when the pull request or its diff is
 * missing.
 */
export async function pullRequestDiff(
  deps: Pick<LocalCodeHostDeps, 'db'> & { blobs: Blobs },
  id: string,
): Promise<Uint8Array> {
  const { diff_blob: key } = await requirePullRequest(deps.db, id);
  const bytes = key === null ? null : await deps.blobs.get(key);
  if (bytes === null) throw new AppError('not_found', `diff of pull request ${id} not found`);
  return bytes;
}
