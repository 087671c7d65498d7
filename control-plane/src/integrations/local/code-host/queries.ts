import { and, count, desc, eq, sql } from 'drizzle-orm';
import type { Database, Statement } from '../../../db/database.ts';
import { type PullRequestRow, pullRequests } from '../../../db/schema/work/pull-requests.ts';
import { AppError } from '../../../errors.ts';
import { LOCAL_CODE_HOST } from './local-code-host-deps.ts';

const isLocal = eq(pullRequests.code_host, LOCAL_CODE_HOST);

/** Throws a 404 when the built-in host has no such pull request. */
export async function requirePullRequest(db: Database, id: string): Promise<PullRequestRow> {
  const row = await pullRequestById(db, id);
  if (row?.code_host === LOCAL_CODE_HOST) return row;
  throw new AppError('not_found', `pull request ${id} not found`);
}

/**
 * The same for who wants to end it. Throws a 409 for one on another host, where reviews that are
 * required and queues hold: it can only be merged or closed there.
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

/** The open pull request of a branch, if there is one. */
export async function openPullRequestOf(
  db: Database,
  input: { repositoryUrl: string; branch: string },
): Promise<PullRequestRow | undefined> {
  const rows = await db
    .select()
    .from(pullRequests)
    .where(
      and(
        eq(pullRequests.repository_url, input.repositoryUrl),
        eq(pullRequests.branch, input.branch),
        eq(pullRequests.status, 'open'),
        isLocal,
      ),
    )
    .limit(1);
  return rows[0];
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
 * Stores a pull request under its repository's next number, unless its branch has an open one: then
 * the statement changes nothing.
 */
export function insertPullRequest(db: Database, row: Omit<PullRequestRow, 'number'>): Statement {
  return db.run(sql`
    insert into pull_requests (id, number, code_host, repository_url, branch, base, base_commit,
      commit_sha, title, body, draft, status, merge_commit_sha, diff_stat, diff_blob,
      issue_identifier, attempt_id, created_at_ms, updated_at_ms)
    select ${row.id}, (select coalesce(max(number), 0) + 1 from pull_requests
        where code_host = ${row.code_host} and repository_url = ${row.repository_url}),
      ${row.code_host}, ${row.repository_url},
      ${row.branch}, ${row.base}, ${row.base_commit}, ${row.commit_sha}, ${row.title}, ${row.body},
      ${row.draft ? 1 : 0}, ${row.status}, ${row.merge_commit_sha}, ${JSON.stringify(row.diff_stat)},
      ${row.diff_blob}, ${row.issue_identifier}, ${row.attempt_id}, ${row.created_at_ms},
      ${row.updated_at_ms}
    where not exists (select 1 from pull_requests where code_host = ${row.code_host}
      and repository_url = ${row.repository_url} and branch = ${row.branch} and status = 'open')`);
}
