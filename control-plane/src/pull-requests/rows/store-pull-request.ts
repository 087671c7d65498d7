import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import { type PullRequestRow, pullRequests } from '../../db/schema/work/pull-requests.ts';
import { SERVICE_CALLER } from '../../http/caller/caller.ts';
import { commitChange } from '../../observe/events/commit-change.ts';
import type { Clock, Ids } from '../../ports/ports.ts';
import { CodeHostError, type OpenPullRequest } from '../../ports/code-host/code-host.ts';
import { pullRequestEvent } from './pull-request-event.ts';

const MAX_TRIES = 5;

type StoreDeps = { db: Database; clock: Clock; ids: Ids };

type Host = {
  codeHost: string;
  /** Number and state on the host; null: this service is the host and assigns numbers itself. */
  seen: { number: number; url: string; draft: boolean } | null;
  /** The page of a pull request for which the host has no address. */
  pageOf: (id: string) => string | null;
};

/**
 * Stores the open pull request of a branch, with audit and event; an unchanged one makes it a
 * no-op. Throws a retryable `CodeHostError` on repeated conflicts.
 */
export async function storePullRequest(
  deps: StoreDeps,
  input: OpenPullRequest,
  host: Host,
): Promise<{ row: PullRequestRow; isNew: boolean }> {
  const same = isSameOne(input, host);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const [known] = await deps.db.select().from(pullRequests).where(same).limit(1);
    const wanted = columns(input, host, known);
    if (known !== undefined && isStored(known, wanted)) return { row: known, isNew: false };
    const nowMs = deps.clock.nowMs();
    const row = { ...(known ?? newRow(deps, input, host, nowMs)), ...wanted, updated_at_ms: nowMs };
    if (!(await commit(deps, { row, known, host, same }, nowMs))) continue;
    const [stored] = await deps.db.select().from(pullRequests).where(eq(pullRequests.id, row.id));
    return { row: stored ?? row, isNew: known === undefined };
  }
  throw new CodeHostError(`the pull request of ${input.branch} keeps changing`, {
    retryable: true,
  });
}

/**
 * Identifies a pull request by the host's number; without one, a branch has one open pull request.
 */
function isSameOne(input: OpenPullRequest, { codeHost, seen }: Host): SQL | undefined {
  return and(
    eq(pullRequests.code_host, codeHost),
    eq(pullRequests.repository_url, input.repositoryUrl),
    seen === null
      ? and(eq(pullRequests.branch, input.branch), eq(pullRequests.status, 'open'))
      : eq(pullRequests.number, seen.number),
  );
}

/** The columns that a newer delivery of the same branch updates. */
function columns(input: OpenPullRequest, { seen }: Host, known: PullRequestRow | undefined) {
  return {
    ...(seen === null ? {} : { number: seen.number, url: seen.url }),
    // A pull request that is ready for review does not become a draft again.
    draft: seen?.draft ?? (input.draft && (known?.draft ?? true)),
    base: input.base,
    base_commit: input.baseCommit,
    commit_sha: input.commitSha,
    title: input.title,
    body: input.body,
    diff_stat: input.diffStat,
    diff_blob: input.diffBlob,
    issue_identifier: input.issueIdentifier,
    attempt_id: input.attemptId,
    status: 'open',
    merge_commit_sha: null,
  } satisfies Partial<PullRequestRow>;
}

function newRow({ ids }: StoreDeps, input: OpenPullRequest, { codeHost }: Host, nowMs: number) {
  return {
    id: ids.next('pr'),
    number: 0,
    code_host: codeHost,
    repository_url: input.repositoryUrl,
    branch: input.branch,
    url: null,
    looked_at_ms: null,
    checked: null,
    created_at_ms: nowMs,
  };
}

function isStored(known: PullRequestRow, wanted: Partial<PullRequestRow>): boolean {
  return Object.entries(wanted).every(
    ([column, value]) =>
      JSON.stringify(known[column as keyof PullRequestRow]) === JSON.stringify(value),
  );
}

type Storing = {
  row: PullRequestRow;
  known: PullRequestRow | undefined;
  host: Host;
  same: SQL | undefined;
};

function commit(deps: StoreDeps, { row, known, host, same }: Storing, nowMs: number) {
  const { db } = deps;
  const { id, branch, commit_sha: commitSha, attempt_id: attemptId } = row;
  const isNew = known === undefined;
  const number = host.seen === null ? {} : { number: host.seen.number };
  const unchanged = known && and(eq(pullRequests.id, id), same, isAsRead(known));
  return commitChange(deps, {
    swap: isNew
      ? insertUnless(db, row, host, same)
      : db.update(pullRequests).set(row).where(unchanged),
    audit: {
      caller: { ...SERVICE_CALLER, path: 'codehost' },
      operation: isNew ? 'pull_request.open' : 'pull_request.update',
      subject: row.issue_identifier,
      details: { id, ...number, branch, commitSha, attemptId },
    },
    events: isNew ? [pullRequestEvent({ ...row, url: row.url ?? host.pageOf(id) })] : [],
    nowMs,
  });
}

function isAsRead({ updated_at_ms: updatedAtMs }: PullRequestRow): SQL {
  return eq(pullRequests.updated_at_ms, updatedAtMs);
}

/** Inserts a pull request unless it exists already; then the statement is a no-op. */
function insertUnless(db: Database, row: PullRequestRow, { seen }: Host, same?: SQL): Statement {
  const number =
    seen?.number ??
    sql`(select coalesce(max(number), 0) + 1 from pull_requests
        where code_host = ${row.code_host} and repository_url = ${row.repository_url})`;
  return db.run(sql`
    insert into pull_requests (id, number, code_host, repository_url, branch, base, base_commit,
      commit_sha, title, body, draft, status, diff_stat, diff_blob, issue_identifier, attempt_id,
      url, created_at_ms, updated_at_ms)
    select ${row.id}, ${number}, ${row.code_host}, ${row.repository_url}, ${row.branch}, ${row.base},
      ${row.base_commit}, ${row.commit_sha}, ${row.title}, ${row.body}, ${row.draft ? 1 : 0},
      ${row.status}, ${JSON.stringify(row.diff_stat)}, ${row.diff_blob}, ${row.issue_identifier},
      ${row.attempt_id}, ${row.url}, ${row.created_at_ms}, ${row.updated_at_ms}
    where not exists (select 1 from ${pullRequests} where ${same})`);
}
