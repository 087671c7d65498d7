import { and, count, desc, eq } from 'drizzle-orm';
import type { Database } from '../../../db/database.ts';
import { type PullRequestRow, pullRequests } from '../../../db/schema/work/pull-requests.ts';
import { AppError } from '../../../errors.ts';
import { LOCAL_CODE_HOST, type LocalCodeHostDeps } from './local-code-host-deps.ts';
import type { Blobs } from '../../../ports/ports.ts';

const isLocal = eq(pullRequests.code_host, LOCAL_CODE_HOST);

/** The pull request with this id; throws a 404 when the built-in host has none. */
export async function requirePullRequest(db: Database, id: string): Promise<PullRequestRow> {
  const row = await pullRequestById(db, id);
  if (row?.code_host === LOCAL_CODE_HOST) return row;
  throw new AppError('not_found', `pull request ${id} not found`);
}

/**
 * As `requirePullRequest`, to merge or close it. Throws a 409 for one on another host, whose
 * required reviews and queues apply: it can only be merged or closed there.
 */
export async function requireOwnToEnd(db: Database, id: string): Promise<PullRequestRow> {
  const row = await pullRequestById(db, id);
  if (row === undefined) throw new AppError('not_found', `pull request ${id} not found`);
  if (row.code_host === LOCAL_CODE_HOST) return row;
  const message = `pull request ${id} is on another code host: merge or close it there, at ${row.url}`;
  throw new AppError('conflict', message);
}

async function pullRequestById(db: Database, id: string): Promise<PullRequestRow | undefined> {
  const [row] = await db.select().from(pullRequests).where(eq(pullRequests.id, id));
  return row;
}

/** A page of the built-in host's pull requests, newest first; `total` counts the filtered set. */
export async function pullRequestPage(
  db: Database,
  input: { status?: PullRequestRow['status'] | undefined; limit: number; offset: number },
): Promise<{ rows: PullRequestRow[]; total: number }> {
  const filter = and(
    isLocal,
    input.status === undefined ? undefined : eq(pullRequests.status, input.status),
  );
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(pullRequests)
      .where(filter)
      .orderBy(desc(pullRequests.created_at_ms), desc(pullRequests.id))
      .limit(input.limit)
      .offset(input.offset),
    db.select({ total: count() }).from(pullRequests).where(filter),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

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
