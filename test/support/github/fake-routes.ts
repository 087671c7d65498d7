import { answersOf } from './fake-answers.ts';
import type { FakeAnswer, FakeGitHub } from './fake-github.ts';
import { answerIssues } from './fake-issue-routes.ts';
import { answerProjects } from './fake-projects.ts';
import { page, type RepositoryRequest } from './fake-page.ts';
import {
  appRecord,
  deliveryRecord,
  hookRecord,
  installationRecord,
  ownUserRecord,
} from './fake-records.ts';
import type { FakePull, FakeRepository } from './fake-state.ts';

export type ApiRequest = {
  method: string;
  url: string;
  body: string;
  authorization: string | undefined;
};
const NOT_FOUND: FakeAnswer = { status: 404, body: { message: 'Not Found' } };

export async function answerApi(fake: FakeGitHub, request: ApiRequest): Promise<FakeAnswer> {
  const url = new URL(request.url, 'http://localhost');
  const body = (request.body === '' ? {} : JSON.parse(request.body)) as Record<string, unknown>;
  if (url.pathname === '/api/graphql') return answerGraphql(fake, request, body);
  if (!url.pathname.startsWith('/api/v3/')) return NOT_FOUND;
  const path = url.pathname.slice('/api/v3'.length);
  const asApp = await answerAsApp(fake, request, path, body);
  if (asApp !== null) return asApp;
  const grant = fake.credentials.grantOf(
    /^Bearer (.+)$/.exec(request.authorization ?? '')?.[1] ?? '',
  );
  if (grant === null) return { status: 401, body: { message: 'Bad credentials' } };
  if (path === '/user') return { status: 200, body: ownUserRecord(fake.webUrl, grant.user) };
  const organisation = /^\/orgs\/([^/]+)\/hooks$/.exec(path)?.[1];
  if (organisation !== undefined) {
    const hooks = fake.organisationHooks?.map((hook, at) =>
      hookRecord(fake.apiUrl, 'Organization', hook, at + 1),
    );
    return hooks === undefined ? NOT_FOUND : { status: 200, body: hooks };
  }
  const parts = /^\/repos\/([^/]+)\/([^/]+)(\/.*)?$/.exec(path);
  const repository = fake.repository(parts?.[1] ?? '', parts?.[2] ?? '');
  const full = `${parts?.[1]}/${parts?.[2]}`.toLowerCase();
  if (repository === undefined || (grant.repository !== null && grant.repository !== full)) {
    return NOT_FOUND;
  }
  const given: RepositoryRequest = {
    ...{ fake, repository, user: grant.user, method: request.method, body },
    path: parts?.[3] ?? '',
    query: url.searchParams,
    fullPath: `${new URL(fake.apiUrl).origin}${url.pathname}`,
  };
  return (
    answerRepository(given) ??
    (await answerPulls(given)) ??
    (await answerCommits(given)) ??
    (await answerIssues(given)) ??
    NOT_FOUND
  );
}

async function answerAsApp(
  fake: FakeGitHub,
  request: ApiRequest,
  path: string,
  body: Record<string, unknown>,
): Promise<FakeAnswer | null> {
  const installation = /^\/repos\/[^/]+\/[^/]+\/installation$/.test(path);
  if (!path.startsWith('/app') && !installation) return null;
  if (!(await fake.credentials.isApp(request.authorization))) {
    return { status: 401, body: { message: 'A JSON web token could not be decoded' } };
  }
  const { installationId } = fake.credentials;
  if (path === '/app/hook/config') return { status: 200, body: { url: fake.appHook.url } };
  if (path === '/app/hook/deliveries') {
    return { status: 200, body: fake.appHook.statusCodes.map(deliveryRecord) };
  }
  if (path === '/app') {
    return { status: 200, body: appRecord(fake.webUrl, 4711, 'switchyard-app') };
  }
  if (installation) {
    const account = { login: 'acme', id: 1, type: 'User' } as const;
    return { status: 200, body: installationRecord(fake.webUrl, installationId, account) };
  }
  if (path !== `/app/installations/${installationId}/access_tokens`) return NOT_FOUND;
  const names = body['repositories'];
  const name = Array.isArray(names) ? String(names[0]) : '';
  const found = fake.repository('acme', name);
  if (found === undefined) return { status: 422, body: { message: 'no such repository' } };
  const permissions = (body['permissions'] ?? {}) as Record<string, string>;
  const full = `${found.owner}/${found.name}`.toLowerCase();
  return { status: 201, body: fake.credentials.mint(full, permissions) };
}

function answerGraphql(
  fake: FakeGitHub,
  request: ApiRequest,
  body: Record<string, unknown>,
): FakeAnswer {
  const grant = fake.credentials.grantOf(
    /^Bearer (.+)$/.exec(request.authorization ?? '')?.[1] ?? '',
  );
  if (grant === null) return { status: 401, body: { message: 'Bad credentials' } };
  const variables = (body['variables'] ?? {}) as Record<string, unknown>;
  const ofProjects = answerProjects(fake, String(body['query']), variables);
  if (ofProjects !== null) return ofProjects;
  const id = (body['variables'] as Record<string, unknown> | undefined)?.['id'];
  const [, owner = '', name = '', number = ''] = /^PR_(.+)\/(.+)\/(\d+)$/.exec(String(id)) ?? [];
  const pull = fake.repository(owner, name)?.pulls.find((one) => one.number === Number(number));
  if (pull === undefined) return { status: 200, body: { errors: [{ message: 'no such node' }] } };
  pull.draft = false;
  return { status: 200, body: { data: { markPullRequestReadyForReview: {} } } };
}

/** A pull request as GitHub answers it. */
export async function pullAnswer(fake: FakeGitHub, repository: FakeRepository, pull: FakePull) {
  const head = pull.finalSha ?? (await fake.head(repository, pull.headRef)) ?? '0'.repeat(40);
  const base = (await fake.head(repository, pull.baseRef)) ?? '0'.repeat(40);
  return answersOf(fake.webUrl, repository).pull(pull, head, base);
}

function answerRepository({ fake, repository, path }: RepositoryRequest): FakeAnswer | null {
  if (path === '') return { status: 200, body: answersOf(fake.webUrl, repository).repo() };
  if (path !== '/hooks') return null;
  const hooks = repository.hooks?.map((hook, at) =>
    hookRecord(fake.apiUrl, 'Repository', hook, at + 1),
  );
  return hooks === undefined ? NOT_FOUND : { status: 200, body: hooks };
}

async function answerPulls(given: RepositoryRequest): Promise<FakeAnswer | null> {
  const { fake, repository, method, path, query, body } = given;
  const answers = answersOf(fake.webUrl, repository);
  const show = (pull: FakePull) => pullAnswer(fake, repository, pull);
  if (path === '/pulls' && method === 'GET') {
    const head = query.get('head')?.split(':')[1];
    const state = query.get('state') ?? 'open';
    const rows = repository.pulls
      .filter((pull) => state === 'all' || pull.state === state)
      .filter((pull) => head === undefined || pull.headRef === head);
    return page(given, await Promise.all(rows.map(show)));
  }
  if (path === '/pulls' && method === 'POST') return createPull(given);
  const [, number, rest = ''] = /^\/pulls\/(\d+)(\/.*)?$/.exec(path) ?? [];
  if (number === undefined) return null;
  const pull = repository.pulls.find((one) => one.number === Number(number));
  if (pull === undefined) return NOT_FOUND;
  if (rest === '' && method === 'PATCH') {
    if (typeof body['title'] === 'string') pull.title = body['title'];
    if (typeof body['body'] === 'string') pull.body = body['body'];
    if (typeof body['base'] === 'string') pull.baseRef = body['base'];
    pull.updated_at = new Date().toISOString();
  }
  if (rest === '') return { status: 200, body: await show(pull) };
  const of = <Row extends { issue: number }>(rows: Row[]) =>
    rows.filter((row) => row.issue === pull.number);
  if (rest === '/reviews') return page(given, of(repository.reviews).map(answers.review));
  if (rest === '/comments')
    return page(given, of(repository.lineComments).map(answers.lineComment));
  if (rest === '/requested_reviewers' && method === 'POST') {
    pull.reviewers.push(...(body['reviewers'] as string[]));
    return { status: 201, body: await show(pull) };
  }
  return NOT_FOUND;
}

async function createPull({
  fake,
  repository,
  user,
  body,
}: RepositoryRequest): Promise<FakeAnswer> {
  const headRef = String(body['head']).split(':').at(-1) ?? '';
  const refuse = (message: string): FakeAnswer => ({
    status: 422,
    body: {
      message: 'Validation Failed',
      errors: [{ resource: 'PullRequest', code: 'custom', message }],
      documentation_url: 'https://docs.github.com/rest/pulls/pulls#create-a-pull-request',
    },
  });
  if ((await fake.head(repository, headRef)) === null) return refuse('head is invalid');
  if (repository.pulls.some((pull) => pull.state === 'open' && pull.headRef === headRef)) {
    return refuse(`A pull request already exists for ${repository.owner}:${headRef}.`);
  }
  repository.lastNumber += 1;
  const now = new Date().toISOString();
  const pull: FakePull = {
    number: repository.lastNumber,
    node_id: `PR_${repository.owner}/${repository.name}/${repository.lastNumber}`,
    state: 'open',
    draft: body['draft'] === true,
    title: String(body['title']),
    body: typeof body['body'] === 'string' ? body['body'].replaceAll('\n', '\r\n') : null,
    ...{ headRef, finalSha: null, baseRef: String(body['base']), user },
    ...{ merged_at: null, merge_commit_sha: null, mergeable: true, labels: [], reviewers: [] },
    ...{ created_at: now, updated_at: now },
  };
  repository.pulls.push(pull);
  return { status: 201, body: await pullAnswer(fake, repository, pull) };
}

async function answerCommits(given: RepositoryRequest): Promise<FakeAnswer | null> {
  const { fake, repository, path } = given;
  const answers = answersOf(fake.webUrl, repository);
  const [, sha, what] = /^\/commits\/([0-9a-f]{40})\/(check-runs|status)$/.exec(path) ?? [];
  if (what === 'check-runs') {
    const rows = repository.checks.filter((check) => check.sha === sha).map(answers.check);
    return page(given, rows, (check_runs) => ({ total_count: rows.length, check_runs }));
  }
  if (what === 'status') {
    const rows = repository.statuses.filter((status) => status.sha === sha);
    const url = `${fake.apiUrl}/repos/${repository.owner}/${repository.name}/commits/${sha}`;
    return page(given, rows.map(answers.status), (statuses) => ({
      ...{ state: 'pending', sha, statuses, total_count: rows.length },
      ...{ repository: answers.repo(), commit_url: url, url: `${url}/status` },
    }));
  }
  const job = /^\/actions\/jobs\/(\d+)\/logs$/.exec(path)?.[1];
  if (job === undefined) return null;
  const check = repository.checks.find((one) => one.id === Number(job));
  return check === undefined ? NOT_FOUND : { status: 200, text: check.log };
}
