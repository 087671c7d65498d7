import { and, eq, sql } from 'drizzle-orm';
import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import { auditStatement } from '../../../../observe/audit/audit-statement.ts';
import { SERVICE_CALLER } from '../../../../observe/audit/caller.ts';
import { isFenced, requireChange } from '../../../../db/require-change.ts';
import type { Database, Statement } from '../../../../db/database.ts';
import { timers } from '../../../../db/schema/operation/outbox.ts';
import { type PullRequestRow, pullRequests } from '../../../../db/schema/work/pull-requests.ts';
import { appendEvents } from '../../../../observe/events/append.ts';
import { CodeHostError, type OpenPullRequest } from '../../../../pull-requests/code-host.ts';
import { pullRequestRecord } from '../../../../pull-requests/pull-request-record.ts';
import { GITHUB_CODE_HOST, type GitHubCodeHostDeps } from '../github-code-host-deps.ts';
import type { GitHubPullRequest } from './github-pull-request.ts';

const MAX_TRIES = 5;

/** What we know of a pull request on GitHub, with audit and event; the same again stores nothing. */
export async function storePullRequest(
  deps: GitHubCodeHostDeps,
  input: OpenPullRequest,
  seen: GitHubPullRequest,
): Promise<{ pullRequest: PullRequest; isNew: boolean }> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const known = await storedOne(deps, input.repositoryUrl, seen.number);
    const wanted = columns(input, seen);
    if (known !== undefined && isSame(known, wanted)) {
      return { pullRequest: record(known), isNew: false };
    }
    const nowMs = deps.clock.nowMs();
    const row: PullRequestRow =
      known === undefined
        ? newRow(deps, input, wanted, nowMs)
        : { ...known, ...wanted, updated_at_ms: nowMs };
    try {
      await commit(deps, row, known, nowMs);
      return { pullRequest: record(row), isNew: known === undefined };
    } catch (error) {
      if (!isFenced(error)) throw error;
    }
  }
  throw new CodeHostError(`the pull request of ${input.branch} keeps changing`, {
    retryable: true,
  });
}

async function storedOne(
  { db }: Pick<GitHubCodeHostDeps, 'db'>,
  repositoryUrl: string,
  number: number,
): Promise<PullRequestRow | undefined> {
  const rows = await db
    .select()
    .from(pullRequests)
    .where(
      and(
        eq(pullRequests.code_host, GITHUB_CODE_HOST),
        eq(pullRequests.repository_url, repositoryUrl),
        eq(pullRequests.number, number),
      ),
    )
    .limit(1);
  return rows[0];
}

function columns(input: OpenPullRequest, seen: GitHubPullRequest) {
  return {
    number: seen.number,
    url: seen.html_url,
    draft: seen.draft === true,
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

function newRow(
  { ids }: Pick<GitHubCodeHostDeps, 'ids'>,
  input: OpenPullRequest,
  wanted: ReturnType<typeof columns>,
  nowMs: number,
): PullRequestRow {
  return {
    ...wanted,
    id: ids.next('pr'),
    code_host: GITHUB_CODE_HOST,
    repository_url: input.repositoryUrl,
    branch: input.branch,
    looked_at_ms: null,
    checked: null,
    created_at_ms: nowMs,
    updated_at_ms: nowMs,
  };
}

function isSame(known: PullRequestRow, wanted: Partial<PullRequestRow>): boolean {
  return Object.entries(wanted).every(
    ([column, value]) =>
      JSON.stringify(known[column as keyof PullRequestRow]) === JSON.stringify(value),
  );
}

async function commit(
  { db, events }: Pick<GitHubCodeHostDeps, 'db' | 'events'>,
  row: PullRequestRow,
  known: PullRequestRow | undefined,
  nowMs: number,
): Promise<void> {
  const { id, number, url, branch, status, issue_identifier: identifier } = row;
  const write =
    known === undefined
      ? db.run(
          sql`insert into pull_requests (id, number, code_host, repository_url, branch, base, base_commit,
            commit_sha, title, body, draft, status, merge_commit_sha, diff_stat, diff_blob,
            issue_identifier, attempt_id, url, created_at_ms, updated_at_ms)
          select ${id}, ${number}, ${row.code_host}, ${row.repository_url}, ${branch}, ${row.base},
            ${row.base_commit}, ${row.commit_sha}, ${row.title}, ${row.body}, ${row.draft ? 1 : 0},
            ${status}, null, ${JSON.stringify(row.diff_stat)}, ${row.diff_blob}, ${identifier},
            ${row.attempt_id}, ${url}, ${nowMs}, ${nowMs}
          where not exists (select 1 from pull_requests where code_host = ${row.code_host}
            and repository_url = ${row.repository_url} and number = ${number})`,
        )
      : db
          .update(pullRequests)
          .set(row)
          .where(and(eq(pullRequests.id, id), eq(pullRequests.updated_at_ms, known.updated_at_ms)));
  const opened = {
    type: 'pull_request.opened',
    atMs: nowMs,
    data: { identifier, pullRequestId: id, url, branch, status, mergeCommitSha: null },
  };
  await db.batch([
    write,
    requireChange(db),
    auditStatement(
      db,
      nowMs,
      { ...SERVICE_CALLER, path: 'codehost' },
      {
        operation: known === undefined ? 'pull_request.open' : 'pull_request.update',
        subject: identifier,
        details: { id, number, branch, commitSha: row.commit_sha, attemptId: row.attempt_id },
      },
    ),
    ...(known === undefined ? [lookSoon(db, nowMs), ...appendEvents(db, nowMs, [opened])] : []),
  ]);
  events.notify(0);
}

/** Starts the timer under which open pull requests are looked at, unless it runs. */
function lookSoon(db: Database, nowMs: number): Statement {
  return db
    .insert(timers)
    .values({ name: 'pull_requests', due_at_ms: nowMs, payload: {} })
    .onConflictDoNothing();
}

/** GitHub's own address is in the row. */
const record = (row: PullRequestRow) => pullRequestRecord({ publicOrigin: () => null }, row);
