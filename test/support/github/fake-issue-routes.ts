import { answersOf } from './fake-answers.ts';
import type { FakeAnswer } from './fake-github.ts';
import { page, type RepositoryRequest } from './fake-page.ts';
import type { FakeIssue } from './fake-state.ts';

const NOT_FOUND: FakeAnswer = { status: 404, body: { message: 'Not Found' } };

/** Which issues block which, by `owner/name#number`. */
export const blockers = new WeakMap<object, Map<number, number[]>>();

export async function answerIssues(given: RepositoryRequest): Promise<FakeAnswer | null> {
  const { fake, repository, method, path, query, body } = given;
  const answers = answersOf(fake.webUrl, repository);
  const blocked = blockers.get(repository) ?? new Map<number, number[]>();
  const show = (issue: FakeIssue) => answers.issue(issue, blocked.get(issue.number)?.length ?? 0);
  if (path === '/issues' && method === 'GET') {
    const labels = query.get('labels')?.toLowerCase();
    const state = query.get('state') ?? 'open';
    const rows = repository.issues
      .filter((issue) => state === 'all' || issue.state === state)
      .filter(
        (one) => labels === undefined || one.labels.some((name) => name.toLowerCase() === labels),
      );
    return page(given, rows.map(show));
  }
  if (path === '/issues' && method === 'POST') {
    const issue = addIssue(given, body);
    return { status: 201, body: show(issue) };
  }
  const comment = /^\/issues\/comments\/(\d+)$/.exec(path)?.[1];
  if (comment !== undefined) {
    const found = repository.comments.find((one) => one.id === Number(comment));
    if (found === undefined) return NOT_FOUND;
    if (method === 'PATCH') found.body = String(body['body']);
    return { status: 200, body: answers.comment(found) };
  }
  const [, number, rest = ''] = /^\/issues\/(\d+)(\/.*)?$/.exec(path) ?? [];
  if (number === undefined) return null;
  const issue = repository.issues.find((one) => one.number === Number(number));
  const pull = repository.pulls.find((one) => one.number === Number(number));
  if (issue === undefined && pull === undefined) return NOT_FOUND;
  if (rest === '/comments' && method === 'GET') {
    const rows = repository.comments.filter((one) => one.issue === Number(number));
    return page(given, rows.map(answers.comment));
  }
  if (rest === '/comments') {
    const made = {
      ...{ id: fake.nextId(), issue: Number(number), body: String(body['body']), user: given.user },
      ...{ author_association: 'COLLABORATOR', created_at: new Date().toISOString() },
    };
    repository.comments.push(made);
    return { status: 201, body: answers.comment(made) };
  }
  if (rest === '/labels' && method === 'POST') {
    const target = issue ?? pull;
    for (const label of body['labels'] as string[]) {
      if (!target?.labels.includes(label)) target?.labels.push(label);
    }
    return { status: 200, body: target?.labels.map(answers.label) };
  }
  if (issue === undefined) return NOT_FOUND;
  if (rest === '/dependencies/blocked_by') {
    const rows = repository.issues.filter((one) => blocked.get(issue.number)?.includes(one.number));
    return page(given, rows.map(show));
  }
  if (rest === '' && method === 'PATCH') patchIssue(issue, body);
  return rest === '' ? { status: 200, body: show(issue) } : NOT_FOUND;
}

function patchIssue(issue: FakeIssue, body: Record<string, unknown>): void {
  if (body['state'] === 'open' || body['state'] === 'closed') {
    issue.state = body['state'];
    issue.state_reason = typeof body['state_reason'] === 'string' ? body['state_reason'] : null;
  }
  if (Array.isArray(body['labels'])) issue.labels = body['labels'].map(String);
  issue.updated_at = new Date().toISOString();
}

function addIssue(
  { fake, repository, user }: Pick<RepositoryRequest, 'fake' | 'repository' | 'user'>,
  body: Record<string, unknown>,
): FakeIssue {
  repository.lastNumber += 1;
  const now = new Date().toISOString();
  const issue: FakeIssue = {
    id: fake.nextId(),
    number: repository.lastNumber,
    state: 'open',
    state_reason: null,
    title: String(body['title']),
    body: typeof body['body'] === 'string' ? body['body'] : null,
    labels: Array.isArray(body['labels']) ? body['labels'].map(String) : [],
    ...{ assignees: [], user, created_at: now, updated_at: now, isPull: false },
  };
  repository.issues.push(issue);
  return issue;
}
