import { answersOf } from './fake-answers.ts';
import type { FakeAnswer } from './fake-github.ts';
import { invalid, page, type RepositoryRequest } from './fake-page.ts';
import { type FakeComment, type FakeIssue, updatedAt } from './fake-state.ts';

const NOT_FOUND: FakeAnswer = { status: 404, body: { message: 'Not Found', status: '404' } };
const MAX_BODY_CHARS = 65_536;
const MAX_TITLE_CHARS = 256;

/** Which issues block which, by `owner/name#number`. */
export const blockers = new WeakMap<object, Map<number, number[]>>();

export function answerIssues(given: RepositoryRequest): FakeAnswer | null {
  const { fake, repository, method, path, query, body } = given;
  const answers = answersOf(fake.webUrl, repository);
  const blocked = blockers.get(repository) ?? new Map<number, number[]>();
  const show = (issue: FakeIssue) => answers.issue(issue, blocked.get(issue.number)?.length ?? 0);
  if (path === '/issues' && method === 'GET') return page(given, wanted(given).map(show));
  const refused = method === 'GET' ? null : tooLong('Issue', body);
  if (refused !== null) return refused;
  if (path === '/issues' && method === 'POST') {
    const issue = addIssue(given, body);
    return { status: 201, body: show(issue) };
  }
  if (path === '/issues/comments' && method === 'GET') {
    return page(given, commentsOf(given).map(answers.comment));
  }
  const comment = /^\/issues\/comments\/(\d+)$/.exec(path)?.[1];
  if (comment !== undefined) {
    const found = repository.comments.find((one) => one.id === Number(comment));
    if (found === undefined) return NOT_FOUND;
    if (method === 'PATCH') {
      Object.assign(found, { body: String(body['body']), updated_at: new Date().toISOString() });
    }
    return { status: 200, body: answers.comment(found) };
  }
  const [, number, rest = ''] = /^\/issues\/(\d+)(\/.*)?$/.exec(path) ?? [];
  if (number === undefined) return null;
  const issue = repository.issues.find((one) => one.number === Number(number));
  const pull = repository.pulls.find((one) => one.number === Number(number));
  if (issue === undefined && pull === undefined) return NOT_FOUND;
  if (rest === '/comments' && method === 'GET') {
    const since = Date.parse(query.get('since') ?? '') || 0;
    const rows = repository.comments.filter(
      (one) => one.issue === Number(number) && Date.parse(updatedAt(one)) >= since,
    );
    return page(given, rows.map(answers.comment));
  }
  if (rest === '/comments') {
    const made = {
      id: fake.nextId(),
      issue: Number(number),
      body: String(body['body']),
      user: given.user,
      created_at: new Date().toISOString(),
    };
    repository.comments.push(made);
    return { status: 201, body: answers.comment(made) };
  }
  const target = issue ?? pull;
  if (target !== undefined && rest.startsWith('/labels')) {
    return answerLabels(given, target, rest);
  }
  if (issue === undefined) return NOT_FOUND;
  if (rest === '/dependencies/blocked_by') {
    const rows = repository.issues.filter((one) => blocked.get(issue.number)?.includes(one.number));
    return page(given, rows.map(show));
  }
  if (rest === '' && method === 'PATCH' && !fake.ignoresChanges) patchIssue(issue, body);
  return rest === '' ? { status: 200, body: show(issue) } : NOT_FOUND;
}

/** By id unless a list asks for another order; `direction` alone says nothing. */
function commentsOf({ repository, query }: RepositoryRequest): FakeComment[] {
  const since = Date.parse(query.get('since') ?? '') || 0;
  const sort = query.get('sort');
  const atOf = (one: FakeComment) =>
    Date.parse(sort === 'updated' ? updatedAt(one) : one.created_at);
  const rows = repository.comments
    .filter((one) => Date.parse(updatedAt(one)) >= since)
    .toSorted((a, b) => (sort === null ? 0 : atOf(a) - atOf(b)) || a.id - b.id);
  return sort === null || query.get('direction') === 'asc' ? rows : rows.toReversed();
}

/** The issues that a list asks for, in the order it asks for. */
function wanted({ repository, query }: RepositoryRequest): FakeIssue[] {
  const labels = query.get('labels')?.toLowerCase();
  const state = query.get('state') ?? 'open';
  const since = Date.parse(query.get('since') ?? '') || 0;
  const atOf = (issue: FakeIssue) =>
    query.get('sort') === 'updated' ? issue.updated_at : issue.created_at;
  const rows = repository.issues
    .filter((issue) => state === 'all' || issue.state === state)
    .filter(
      (one) => labels === undefined || one.labels.some((name) => name.toLowerCase() === labels),
    )
    .filter((issue) => Date.parse(issue.updated_at) >= since)
    .toSorted((a, b) => Date.parse(atOf(a)) - Date.parse(atOf(b)) || a.number - b.number);
  return query.get('direction') === 'asc' ? rows : rows.toReversed();
}

function answerLabels(
  { fake, repository, method, body }: RepositoryRequest,
  target: { labels: string[]; updated_at: string },
  rest: string,
): FakeAnswer {
  const answers = answersOf(fake.webUrl, repository);
  const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
  if (fake.ignoresChanges) return { status: 200, body: target.labels.map(answers.label) };
  if (method === 'DELETE') {
    const name = decodeURIComponent(rest.slice('/labels/'.length));
    const at = target.labels.findIndex((label) => isSame(label, name));
    if (at < 0) return { status: 404, body: { message: 'Label does not exist', status: '404' } };
    target.labels.splice(at, 1);
  }
  if (method === 'POST') {
    for (const label of body['labels'] as string[]) {
      if (!target.labels.some((name) => isSame(name, label))) target.labels.push(label);
    }
  }
  if (method !== 'GET') target.updated_at = new Date().toISOString();
  return { status: 200, body: target.labels.map(answers.label) };
}

/** 422 for a title or text that is longer than GitHub takes. */
export function tooLong(resource: string, body: Record<string, unknown>): FakeAnswer | null {
  const limits = { title: MAX_TITLE_CHARS, body: MAX_BODY_CHARS };
  for (const [field, limit] of Object.entries(limits)) {
    const text = body[field];
    if (typeof text !== 'string' || text.length <= limit) continue;
    const message = `${field} is too long (maximum is ${limit} characters)`;
    return invalid('Validation Failed', [{ resource, field, code: 'custom', message }]);
  }
  return null;
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
    assignees: [],
    user,
    created_at: now,
    updated_at: now,
    isPull: false,
  };
  repository.issues.push(issue);
  return issue;
}
