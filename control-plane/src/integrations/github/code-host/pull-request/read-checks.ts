import { z } from 'zod';
import type { PullRequestCheck } from '@switchyard/shared/api/work/pull-request';
import { cutText } from '@switchyard/shared/text/cut-text';
import type { FeedbackItem } from '../../../../ports/code-host/code-host.ts';
import type { PullRequestQuery } from '../../api/github-connections.ts';
import { GitHubError } from '../../api/github-error.ts';
import { nullIfForbidden } from '../../api/null-if-forbidden.ts';
import { repositoryPath } from '../../api/repository-name.ts';
import { unreadableRows } from './unreadable-rows.ts';
import { CheckRun, CommitStatus } from './check-run.ts';
import { FAILED_CONCLUSIONS, shownChecks } from './shown-checks.ts';

const LOG_TAIL_BYTES = 6_000;
const MAX_OUTPUT_CHARS = 6_000;
/** Logs read in one sync of a pull request; further failed checks are reported by name only. */
const MAX_LOGS = 5;
/** Workflow runs whose jobs one sync of a pull request reads. */
const MAX_WORKFLOWS = 20;
const ACTIONS = 'github-actions';

const Rows = z.looseObject({
  check_runs: z.unknown().optional(),
  statuses: z.unknown().optional(),
  workflow_runs: z.unknown().optional(),
  jobs: z.unknown().optional(),
});
const WorkflowRun = z.object({ id: z.int() });

export type Checks = {
  /** Failed checks with the end of their logs. */
  items: FeedbackItem[];
  pending: number;
  all: PullRequestCheck[];
  /** Descriptions of what the credential cannot see. */
  unseen: string[];
};

/** The checks of a commit that the credential can see. */
export async function readChecks(query: PullRequestQuery, sha: string): Promise<Checks> {
  let unreadable = 0;
  const onUnreadable = () => void (unreadable += 1);
  const [seen, statuses] = await Promise.all([
    readRuns(query, sha, onUnreadable),
    nullIfForbidden(() => readStatuses(query, sha, onUnreadable)),
  ]);
  const { runs } = seen;
  const failedRuns = runs.filter((run) => FAILED_CONCLUSIONS.has(run.conclusion ?? ''));
  const failedStatuses = (statuses ?? []).filter(
    ({ state }) => state === 'failure' || state === 'error',
  );
  const items = await Promise.all(
    failedRuns.map(async (run, at) =>
      itemOfRun(sha, run, at < MAX_LOGS ? await logTail(query, run) : ''),
    ),
  );
  return {
    items: [...items, ...failedStatuses.map((status) => itemOfStatus(sha, status))],
    // An unreadable check counts as pending.
    pending:
      unreadable +
      runs.filter(({ status }) => status !== 'completed').length +
      (statuses ?? []).filter(({ state }) => state === 'pending').length,
    all: shownChecks(runs, statuses ?? []),
    unseen: [
      ...seen.unseen,
      ...(statuses === null ? ['commit statuses'] : []),
      ...unreadableRows(unreadable, 'check'),
    ],
  };
}

/**
 * Reads the check runs. Fine-grained tokens cannot see them; then jobs of GitHub's runners are
 * read, which are most of them.
 */
async function readRuns(
  query: PullRequestQuery,
  sha: string,
  onUnreadable: () => void,
): Promise<{ runs: CheckRun[]; unseen: string[] }> {
  const { client, access, repository, signal } = query;
  const auth = access.authorize(repository);
  const path = `${repositoryPath(repository)}/commits/${encodeURIComponent(sha)}/check-runs`;
  const runs = await nullIfForbidden(() =>
    client.list(
      CheckRun,
      auth,
      { path: `${path}?filter=latest&per_page=100`, signal, onUnreadable },
      (page) => Rows.safeParse(page).data?.check_runs,
    ),
  );
  if (runs !== null) return { runs, unseen: [] };
  const jobs = await nullIfForbidden(() => readJobs(query, sha, onUnreadable));
  if (jobs === null) return { runs: [], unseen: ['check runs'] };
  return { runs: jobs, unseen: ['check runs that are no jobs of GitHub Actions'] };
}

/** Jobs in the form of check runs, which have the same ids. */
async function readJobs(
  query: PullRequestQuery,
  sha: string,
  onUnreadable: () => void,
): Promise<CheckRun[]> {
  const { client, access, repository, signal } = query;
  const auth = access.authorize(repository);
  const root = `${repositoryPath(repository)}/actions/runs`;
  const workflows = await client.list(
    WorkflowRun,
    auth,
    { path: `${root}?head_sha=${encodeURIComponent(sha)}&per_page=100`, signal, onUnreadable },
    (page) => Rows.safeParse(page).data?.workflow_runs,
  );
  const jobs = await Promise.all(
    workflows
      .slice(0, MAX_WORKFLOWS)
      .map(({ id }) =>
        client.list(
          CheckRun,
          auth,
          { path: `${root}/${id}/jobs?filter=latest&per_page=100`, signal, onUnreadable },
          (page) => Rows.safeParse(page).data?.jobs,
        ),
      ),
  );
  return jobs.flat().map((job) => ({ ...job, app: { slug: ACTIONS } }));
}

function readStatuses(
  query: PullRequestQuery,
  sha: string,
  onUnreadable: () => void,
): Promise<CommitStatus[]> {
  const { client, access, repository, signal } = query;
  const path = `${repositoryPath(repository)}/commits/${encodeURIComponent(sha)}/status`;
  return client.list(
    CommitStatus,
    access.authorize(repository),
    { path: `${path}?per_page=100`, signal, onUnreadable },
    (page) => Rows.safeParse(page).data?.statuses,
  );
}

function itemOfRun(sha: string, run: CheckRun, log: string): FeedbackItem {
  const { title, summary, text } = run.output ?? {};
  const output = [title, summary, text].filter((part) => part != null && part !== '').join('\n');
  return {
    key: `check:${sha}:${run.name}`,
    kind: 'check',
    from: run.name,
    url: run.html_url ?? null,
    path: null,
    line: null,
    text: [cutText(output, MAX_OUTPUT_CHARS), log].filter((part) => part !== '').join('\n\n'),
    atMs: Date.parse(run.completed_at ?? '') || 0,
  };
}

/**
 * The end of a job's log, which has the id of its check; empty for checks of other apps than GitHub
 * Actions, and without permission.
 */
async function logTail({ client, access, repository, signal }: PullRequestQuery, run: CheckRun) {
  if (run.app?.slug !== ACTIONS) return '';
  const path = `${repositoryPath(repository)}/actions/jobs/${run.id}/logs`;
  try {
    return await client.tail(access.authorize(repository), { path, signal }, LOG_TAIL_BYTES);
  } catch (error) {
    if (error instanceof GitHubError && error.category === 'status') return '';
    throw error;
  }
}

function itemOfStatus(sha: string, status: CommitStatus): FeedbackItem {
  return {
    key: `check:${sha}:${status.context}`,
    kind: 'check',
    from: status.context,
    url: status.target_url ?? null,
    path: null,
    line: null,
    text: status.description ?? '',
    atMs: Date.parse(status.updated_at ?? '') || 0,
  };
}
