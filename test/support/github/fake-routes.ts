import { answerRuns } from './fake-actions.ts';
import { answersOf } from './fake-answers.ts';
import type { FakeGrant, FakePermissions } from './fake-credentials.ts';
import type { FakeAnswer, FakeGitHub } from './fake-github.ts';
import { answerIssues } from './fake-issue-routes.ts';
import { answerMoved, movedTo } from './fake-moves.ts';
import { mayDo, notAccessible, refusal } from './fake-permissions.ts';
import { answerProjects, forbidden } from './fake-projects.ts';
import { invalid, page, type RepositoryRequest } from './fake-page.ts';
import {
  appRecord,
  deliveryRecord,
  hookRecord,
  installationRecord,
  ownUserRecord,
  userRecord,
} from './fake-records.ts';
import { answerPulls } from './fake-pull-routes.ts';
import type { FakeRepository } from './fake-state.ts';

export type ApiRequest = {
  method: string;
  url: string;
  body: string;
  authorization: string | undefined;
};
const NOT_FOUND: FakeAnswer = { status: 404, body: { message: 'Not Found', status: '404' } };

export async function answerApi(fake: FakeGitHub, request: ApiRequest): Promise<FakeAnswer> {
  const url = new URL(request.url, 'http://localhost');
  const body = (request.body === '' ? {} : JSON.parse(request.body)) as Record<string, unknown>;
  if (url.pathname === '/api/graphql') return answerGraphql(fake, request, body);
  if (!url.pathname.startsWith('/api/v3/')) return NOT_FOUND;
  const path = url.pathname.slice('/api/v3'.length);
  const asApp = await answerAsApp(fake, request, path, body);
  if (asApp !== null) return asApp;
  const token = tokenOf(request);
  const grant = fake.credentials.grantOf(token);
  if (grant === null) return { status: 401, body: { message: 'Bad credentials' } };
  const limited = fake.limits.refusal(token, 'core', `${request.method} ${path}`);
  if (limited !== null) return limited;
  if (path === '/user') {
    // An App is nobody.
    if (grant.kind === 'installation') return notAccessible(grant, []);
    return { status: 200, body: ownUserRecord(fake.webUrl, grant.user) };
  }
  const organisation = /^\/orgs\/([^/]+)\/hooks$/.exec(path)?.[1];
  if (organisation !== undefined) return answerOrganisationHooks(fake, grant);
  return answerBelow(fake, request, { grant, path, url, body });
}

/** What is asked below a repository, found by name or, after a redirect, by id. */
async function answerBelow(
  fake: FakeGitHub,
  { method }: ApiRequest,
  {
    grant,
    path,
    url,
    body,
  }: {
    grant: FakeGrant;
    path: string;
    url: URL;
    body: Record<string, unknown>;
  },
): Promise<FakeAnswer> {
  const named = /^\/repos\/([^/]+)\/([^/]+)(\/.*)?$/.exec(path);
  const numbered = /^\/repositories\/(\d+)(\/.*)?$/.exec(path);
  const below = (named?.[3] ?? numbered?.[2] ?? '').replace(/\/$/, '');
  const repository =
    numbered === null
      ? fake.repository(named?.[1] ?? '', named?.[2] ?? '')
      : fake.repositoryById(Number(numbered[1]));
  if (repository === undefined || !maySee(grant, repository)) return NOT_FOUND;
  const asked = `${named?.[1]}/${named?.[2]}`.toLowerCase();
  if (named !== null && asked !== fullNameOf(repository)) {
    return movedTo(fake, repository, below + url.search, method === 'GET' ? 301 : 307);
  }
  const moved = answerMoved(fake, repository, below, (other) => maySee(grant, other));
  if (moved !== null) return moved;
  const refused = refusal(grant, repository, method, below);
  if (refused !== null) return refused;
  const given: RepositoryRequest = {
    fake,
    repository,
    grant,
    user: grant.user,
    method,
    body,
    path: below,
    query: url.searchParams,
    fullPath: `${new URL(fake.apiUrl).origin}${url.pathname}`,
  };
  return (
    answerRepository(given) ??
    (await answerPulls(given)) ??
    (await answerBranch(given)) ??
    answerCommits(given) ??
    answerIssues(given) ??
    NOT_FOUND
  );
}

function fullNameOf({ owner, name }: FakeRepository): string {
  return `${owner}/${name}`.toLowerCase();
}

/** A private repository that a token may not see does not exist. */
function maySee({ repositories }: FakeGrant, repository: FakeRepository): boolean {
  if (repository.isHidden) return false;
  return repository.isPublic || repositories === null || repositories.has(fullNameOf(repository));
}

function tokenOf({ authorization }: ApiRequest): string {
  return /^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '';
}

/** Hooks that a token may not see: 403 for one with permissions one by one, else 404. */
function answerOrganisationHooks(fake: FakeGitHub, grant: FakeGrant): FakeAnswer {
  const need = ['organization_hooks=read'];
  if (!mayDo(grant, need)) return notAccessible(grant, need);
  const hooks = fake.organisationHooks?.map((hook, at) =>
    hookRecord(fake.apiUrl, 'Organization', hook, at + 1),
  );
  return hooks === undefined ? NOT_FOUND : { status: 200, body: hooks };
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
  if (path === '/app/hook/config') {
    const { url } = fake.appHook;
    return { status: 200, body: { content_type: 'json', ...(url === null ? {} : { url }) } };
  }
  if (path === '/app/hook/deliveries') {
    return { status: 200, body: fake.appHook.statusCodes.map(deliveryRecord) };
  }
  if (path === '/app') {
    return { status: 200, body: appRecord(fake.webUrl, 4711, 'switchyard-app') };
  }
  if (installation || path === `/app/installations/${installationId}`) {
    const account = { login: 'acme', id: 1, type: 'User' } as const;
    const { installed } = fake.credentials;
    const record = installationRecord(fake.webUrl, installationId, account, installed);
    return { status: 200, body: record };
  }
  if (path !== `/app/installations/${installationId}/access_tokens`) return NOT_FOUND;
  const names = body['repositories'];
  const name = Array.isArray(names) ? String(names[0]) : '';
  const found = fake.repository('acme', name);
  if (found === undefined) {
    return invalid(
      'There is at least one repository that does not exist or is not accessible to the parent installation.',
    );
  }
  const asked = body['permissions'] as FakePermissions | undefined;
  const minted = fake.credentials.mint(fullNameOf(found), asked);
  if (minted !== null) return { status: 201, body: minted };
  return invalid('The permissions requested are not granted to this installation.');
}

function answerGraphql(
  fake: FakeGitHub,
  request: ApiRequest,
  body: Record<string, unknown>,
): FakeAnswer {
  const token = tokenOf(request);
  const grant = fake.credentials.grantOf(token);
  if (grant === null) return { status: 401, body: { message: 'Bad credentials' } };
  const limited = fake.limits.refusal(token, 'graphql', 'POST /graphql');
  if (limited !== null) return limited;
  const variables = (body['variables'] ?? {}) as Record<string, unknown>;
  const ofProjects = answerProjects(fake, grant, String(body['query']), variables);
  if (ofProjects !== null) return ofProjects;
  const id = (body['variables'] as Record<string, unknown> | undefined)?.['id'];
  const [, owner = '', name = '', number = ''] = /^PR_(.+)\/(.+)\/(\d+)$/.exec(String(id)) ?? [];
  const pull = fake.repository(owner, name)?.pulls.find((one) => one.number === Number(number));
  if (pull === undefined)
    return { status: 200, body: { errors: [{ type: 'NOT_FOUND', message: 'no such node' }] } };
  if (!mayDo(grant, ['pull_requests=write'])) return forbidden(grant);
  pull.draft = false;
  return { status: 200, body: { data: { markPullRequestReadyForReview: {} } } };
}

function answerRepository({ fake, repository, path }: RepositoryRequest): FakeAnswer | null {
  if (path === '') return { status: 200, body: answersOf(fake.webUrl, repository).repo() };
  const login = /^\/collaborators\/([^/]+)\/permission$/.exec(path)?.[1];
  if (login !== undefined) return answerPermission(fake, repository, decodeURIComponent(login));
  if (path !== '/hooks') return null;
  const hooks = repository.hooks?.map((hook, at) =>
    hookRecord(fake.apiUrl, 'Repository', hook, at + 1),
  );
  return hooks === undefined ? NOT_FOUND : { status: 200, body: hooks };
}

/** What somebody may do, by whatever way: team, organisation, invitation. */
function answerPermission(fake: FakeGitHub, repository: FakeRepository, login: string): FakeAnswer {
  const known = repository.people.get(login.toLowerCase());
  const permission = known?.permission ?? (repository.isPublic ? 'read' : 'none');
  const person = userRecord(fake.webUrl, { login, id: 7, type: 'User' });
  return {
    status: 200,
    body: { permission, role_name: permission, user: { ...person, role_name: permission } },
  };
}

async function answerBranch({
  fake,
  repository,
  path,
}: RepositoryRequest): Promise<FakeAnswer | null> {
  const asked = /^\/git\/ref\/(.+)$/.exec(path)?.[1];
  const branch = /^heads\/(.+)$/.exec(decodeURIComponent(asked ?? ''))?.[1];
  if (branch === undefined) return null;
  const ref = `refs/heads/${branch}`;
  const sha = await fake.head(repository, branch);
  if (sha === null) return NOT_FOUND;
  const git = `${fake.apiUrl}/repos/${repository.owner}/${repository.name}/git`;
  const object = { type: 'commit', sha, url: `${git}/commits/${sha}` };
  return { status: 200, body: { ref, node_id: 'REF_1', url: `${git}/${ref}`, object } };
}

function answerCommits(given: RepositoryRequest): FakeAnswer | null {
  const { fake, repository, path } = given;
  const answers = answersOf(fake.webUrl, repository);
  const [, sha = '', what] = /^\/commits\/([^/]+)\/(check-runs|status)$/.exec(path) ?? [];
  if (what === 'check-runs') {
    const rows = repository.checks.filter((check) => check.sha === sha).map(answers.check);
    return page(given, rows, (check_runs) => ({ total_count: rows.length, check_runs }));
  }
  if (what === 'status') {
    const rows = repository.statuses.filter((status) => status.sha === sha);
    const url = `${fake.apiUrl}/repos/${repository.owner}/${repository.name}/commits/${sha}`;
    return page(given, rows.map(answers.status), (statuses) => ({
      state: 'pending',
      sha,
      statuses,
      total_count: rows.length,
      repository: answers.repo(),
      commit_url: url,
      url: `${url}/status`,
    }));
  }
  if (path === '/git/refs') {
    // Only ever tried with a commit that does not exist: to see whether it would be allowed.
    return invalid('Object does not exist');
  }
  const run = /^\/actions\/runs(?:\/(\d+)\/jobs)?$/.exec(path);
  if (run !== null) return answerRuns(given, run[1]);
  const job = /^\/actions\/jobs\/(\d+)\/logs$/.exec(path)?.[1];
  if (job === undefined) return null;
  const check = repository.checks.find((one) => one.id === Number(job));
  if (check === undefined) return NOT_FOUND;
  // The log lies in a store that knows no tokens.
  return { status: 302, text: '', headers: { Location: fake.logUrl(check.id) } };
}
