import { and, eq } from 'drizzle-orm';
import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import { auditStatement } from '../../../observe/audit/audit-statement.ts';
import { SERVICE_CALLER } from '../../../observe/audit/caller.ts';
import { isFenced, requireChange } from '../../../db/require-change.ts';
import { type PullRequestRow, pullRequests } from '../../../db/schema/work/pull-requests.ts';
import { CodeHostError, type OpenPullRequest } from '../../../pull-requests/code-host.ts';
import { commitPullRequest } from './commit-pull-request.ts';
import { LOCAL_CODE_HOST, type LocalCodeHostDeps } from './local-code-host-deps.ts';
import { pullRequestRecord } from '../../../pull-requests/pull-request-record.ts';
import { insertPullRequest, openPullRequestOf, requirePullRequest } from './queries.ts';

const MAX_TRIES = 5;

/**
 * Opens the pull request of a branch, or brings the open one up to date. The same input again
 * stores nothing. Throws a retryable `CodeHostError` when others keep changing it.
 */
export async function openLocalPullRequest(
  deps: LocalCodeHostDeps,
  input: OpenPullRequest,
): Promise<PullRequest> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const current = await openPullRequestOf(deps.db, input);
    try {
      const id =
        current === undefined ? await open(deps, input) : await update(deps, current, input);
      return pullRequestRecord(deps, await requirePullRequest(deps.db, id));
    } catch (error) {
      if (!isFenced(error)) throw error;
    }
  }
  throw new CodeHostError(`the pull request of ${input.branch} keeps changing`, {
    retryable: true,
  });
}

/** What a newer delivery of the same branch replaces. */
function content(input: OpenPullRequest) {
  return {
    base: input.base,
    base_commit: input.baseCommit,
    commit_sha: input.commitSha,
    title: input.title,
    body: input.body,
    draft: input.draft,
    diff_stat: input.diffStat,
    diff_blob: input.diffBlob,
    issue_identifier: input.issueIdentifier,
    attempt_id: input.attemptId,
  } satisfies Partial<PullRequestRow>;
}

async function open(deps: LocalCodeHostDeps, input: OpenPullRequest): Promise<string> {
  const nowMs = deps.clock.nowMs();
  const id = deps.ids.next('pr');
  const row: Omit<PullRequestRow, 'number'> = {
    ...content(input),
    id,
    code_host: LOCAL_CODE_HOST,
    repository_url: input.repositoryUrl,
    branch: input.branch,
    status: 'open',
    merge_commit_sha: null,
    url: null,
    looked_at_ms: null,
    checked: null,
    created_at_ms: nowMs,
    updated_at_ms: nowMs,
  };
  // The repository's next number is chosen by the insert; nobody sees this one.
  await commitPullRequest(deps, nowMs, pullRequestRecord(deps, { ...row, number: 0 }), [
    insertPullRequest(deps.db, row),
    requireChange(deps.db),
    audited(deps, nowMs, 'open', id, input),
  ]);
  return id;
}

async function update(
  deps: LocalCodeHostDeps,
  current: PullRequestRow,
  input: OpenPullRequest,
): Promise<string> {
  // Once a person may review it, it does not become a draft again.
  const wanted = { ...content(input), draft: current.draft && input.draft };
  const same = Object.entries(wanted).every(
    ([column, value]) =>
      JSON.stringify(current[column as keyof typeof wanted]) === JSON.stringify(value),
  );
  if (same) return current.id;
  const nowMs = deps.clock.nowMs();
  await deps.db.batch([
    deps.db
      .update(pullRequests)
      .set({ ...wanted, updated_at_ms: nowMs })
      .where(and(eq(pullRequests.id, current.id), eq(pullRequests.status, 'open'))),
    requireChange(deps.db),
    audited(deps, nowMs, 'update', current.id, input),
  ]);
  return current.id;
}

function audited(
  deps: LocalCodeHostDeps,
  nowMs: number,
  verb: 'open' | 'update',
  id: string,
  input: OpenPullRequest,
) {
  const { branch, commitSha, issueIdentifier, attemptId } = input;
  return auditStatement(
    deps.db,
    nowMs,
    { ...SERVICE_CALLER, path: 'codehost' },
    {
      operation: `pull_request.${verb}`,
      subject: issueIdentifier,
      details: { id, branch, commitSha, attemptId },
    },
  );
}
