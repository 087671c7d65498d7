import type { FakeAnswer } from './fake-github.ts';
import { page, type RepositoryRequest } from './fake-page.ts';
import { repositoryRecord } from './fake-records.ts';
import type { FakeCheck, FakeRepository } from './fake-state.ts';

const AT = '2026-01-01T00:00:00Z';

/** Runs of GitHub's own runners: one per commit, whose jobs are its checks. */
export function answerRuns(given: RepositoryRequest, runId: string | undefined): FakeAnswer {
  const { fake, repository, query } = given;
  const shas = [...new Set(repository.checks.map(({ sha }) => sha))];
  const runs = shas.map((sha, at) => ({ id: at + 1, sha }));
  if (runId === undefined) {
    const wanted = query.get('head_sha');
    const rows = runs.filter(({ sha }) => wanted === null || sha === wanted);
    return page(
      given,
      rows.map((run) => runRecord(fake.webUrl, repository, run)),
      (workflow_runs) => ({ total_count: rows.length, workflow_runs }),
    );
  }
  const sha = runs.find(({ id }) => id === Number(runId))?.sha;
  const jobs = repository.checks.filter((check) => check.sha === sha);
  const rows = jobs.map((check) => jobRecord(fake.webUrl, repository, Number(runId), check));
  return page(given, rows, (all) => ({ total_count: rows.length, jobs: all }));
}

function runRecord(
  web: string,
  repository: FakeRepository,
  { id, sha }: { id: number; sha: string },
) {
  const url = `${web}/api/v3/repos/${repository.owner}/${repository.name}/actions/runs/${id}`;
  const repo = repositoryRecord(web, repository);
  const below = 'jobs logs check_suite artifacts cancel rerun workflow'.split(' ');
  return {
    id,
    node_id: `WFR_${id}`,
    head_branch: 'main',
    head_sha: sha,
    path: '.github/ci.yml',
    run_number: id,
    event: 'push',
    status: 'completed',
    conclusion: 'failure',
    workflow_id: 1,
    url,
    html_url: url,
    pull_requests: [],
    created_at: AT,
    updated_at: AT,
    ...Object.fromEntries(below.map((name) => [`${name}_url`, `${url}/${name}`])),
    head_commit: null,
    repository: repo,
    head_repository: repo,
    display_title: 'ci',
  };
}

function jobRecord(web: string, repository: FakeRepository, runId: number, check: FakeCheck) {
  const api = `${web}/api/v3/repos/${repository.owner}/${repository.name}`;
  const url = `${api}/actions/jobs/${check.id}`;
  return {
    id: check.id,
    node_id: `J_${check.id}`,
    run_id: runId,
    url,
    name: check.name,
    run_url: `${api}/actions/runs/${runId}`,
    head_sha: check.sha,
    html_url: url,
    status: check.status,
    conclusion: check.conclusion,
    created_at: AT,
    started_at: AT,
    completed_at: check.status === 'completed' ? AT : null,
    check_run_url: `${api}/check-runs/${check.id}`,
    labels: [],
    workflow_name: 'ci',
    head_branch: 'main',
    runner_id: null,
    runner_name: null,
    runner_group_id: null,
    runner_group_name: null,
  };
}
