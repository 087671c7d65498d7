import { answersOf, mergeableState } from './fake-answers.ts';
import type { FakeAnswer, FakeGitHub } from './fake-github.ts';
import { tooLong } from './fake-issue-routes.ts';
import { invalid, page, type RepositoryRequest } from './fake-page.ts';
import type { FakePull, FakeRepository } from './fake-state.ts';

const NOT_FOUND: FakeAnswer = { status: 404, body: { message: 'Not Found', status: '404' } };

/** A pull request as GitHub answers it. */
export async function pullAnswer(fake: FakeGitHub, repository: FakeRepository, pull: FakePull) {
  const head = pull.finalSha ?? (await fake.head(repository, pull.headRef)) ?? '0'.repeat(40);
  const base = (await fake.head(repository, pull.baseRef)) ?? '0'.repeat(40);
  return answersOf(fake.webUrl, repository).pull(pull, head, base);
}

export async function answerPulls(given: RepositoryRequest): Promise<FakeAnswer | null> {
  const { fake, repository, method, path, body } = given;
  const answers = answersOf(fake.webUrl, repository);
  const show = (pull: FakePull) => pullAnswer(fake, repository, pull);
  if (path === '/pulls' && method === 'GET') {
    return page(given, await Promise.all(wanted(given).map(show)));
  }
  if (path === '/pulls' && method === 'POST') return createPull(given);
  const [, number, rest = ''] = /^\/pulls\/(\d+)(\/.*)?$/.exec(path) ?? [];
  if (number === undefined) return null;
  const pull = repository.pulls.find((one) => one.number === Number(number));
  if (pull === undefined) return NOT_FOUND;
  if (rest === '' && method === 'PATCH') {
    const refused = await patchPull(given, pull);
    if (refused !== null) return refused;
  }
  if (rest === '') return { status: 200, body: await show(pull) };
  const of = <Row extends { issue: number }>(rows: Row[]) =>
    rows.filter((row) => row.issue === pull.number);
  if (rest === '/reviews') return page(given, of(repository.reviews).map(answers.review));
  if (rest === '/comments') {
    return page(given, of(repository.lineComments).map(answers.lineComment));
  }
  if (rest === '/merge' && method === 'PUT') return mergePull(given, pull);
  if (rest === '/requested_reviewers' && method === 'POST') {
    pull.reviewers.push(...(body['reviewers'] as string[]));
    return { status: 201, body: await show(pull) };
  }
  return NOT_FOUND;
}

/** `head` names owner and branch: one of a fork is another. */
function wanted({ repository, query }: RepositoryRequest): FakePull[] {
  const head = query.get('head')?.toLowerCase();
  const state = query.get('state') ?? 'open';
  const ownerOf = ({ fork }: FakePull) =>
    (fork === undefined ? repository.owner : (fork ?? '').split('/')[0]) ?? '';
  return repository.pulls
    .filter((pull) => state === 'all' || pull.state === state)
    .filter(
      (pull) => head === undefined || `${ownerOf(pull)}:${pull.headRef}`.toLowerCase() === head,
    );
}

async function patchPull(
  { fake, repository, body }: RepositoryRequest,
  pull: FakePull,
): Promise<FakeAnswer | null> {
  const refused = tooLong('PullRequest', body);
  if (refused !== null) return refused;
  if (typeof body['base'] === 'string' && body['base'] !== pull.baseRef) {
    if ((await fake.head(repository, body['base'])) === null) {
      const error = { resource: 'PullRequest', field: 'base', code: 'invalid' };
      return invalid('Validation Failed', [error]);
    }
    pull.baseRef = body['base'];
  }
  if (typeof body['title'] === 'string') pull.title = body['title'];
  if (typeof body['body'] === 'string') pull.body = body['body'];
  pull.updated_at = new Date().toISOString();
  return null;
}

async function createPull(given: RepositoryRequest): Promise<FakeAnswer> {
  const { fake, repository, user, body } = given;
  const headRef = String(body['head']).split(':').at(-1) ?? '';
  const baseRef = String(body['base']);
  const refused = tooLong('PullRequest', body) ?? (await whyNotPull(given, headRef, baseRef));
  if (refused !== null) return refused;
  repository.lastNumber += 1;
  const now = new Date().toISOString();
  const pull: FakePull = {
    number: repository.lastNumber,
    node_id: `PR_${repository.owner}/${repository.name}/${repository.lastNumber}`,
    state: 'open',
    draft: body['draft'] === true,
    title: String(body['title']),
    body: typeof body['body'] === 'string' ? body['body'].replaceAll('\n', '\r\n') : null,
    headRef,
    finalSha: null,
    baseRef,
    user,
    merged_at: null,
    merge_commit_sha: null,
    mergeable: true,
    labels: [],
    reviewers: [],
    created_at: now,
    updated_at: now,
  };
  repository.pulls.push(pull);
  return { status: 201, body: await pullAnswer(fake, repository, pull) };
}

async function whyNotPull(
  { fake, repository, body }: RepositoryRequest,
  headRef: string,
  baseRef: string,
): Promise<FakeAnswer | null> {
  const refuse = (more: { field?: string; code: string; message?: string }) =>
    invalid('Validation Failed', [{ resource: 'PullRequest', ...more }]);
  const [head, base] = [await fake.head(repository, headRef), await fake.head(repository, baseRef)];
  if (base === null) return refuse({ field: 'base', code: 'invalid' });
  if (head === null) return refuse({ field: 'head', code: 'invalid' });
  const custom = (message: string) => refuse({ code: 'custom', message });
  if (head === base) return custom(`No commits between ${baseRef} and ${headRef}`);
  const isThere = repository.pulls.some(
    (pull) => pull.state === 'open' && pull.headRef === headRef && pull.fork === undefined,
  );
  if (isThere) {
    return custom(`A pull request already exists for ${repository.owner}:${headRef}.`);
  }
  if (body['draft'] !== true || repository.takesDrafts) return null;
  return invalid('Draft pull requests are not supported in this repository.');
}

/** What is merged here moves no branch of a real repository: for that see fake-webhooks.ts. */
async function mergePull(
  { fake, repository, body }: RepositoryRequest,
  pull: FakePull,
): Promise<FakeAnswer> {
  const refuse = (message: string): FakeAnswer => ({ status: 405, body: { message } });
  if (pull.state === 'closed') return refuse('Pull Request is not mergeable');
  if (pull.draft) return refuse('Pull Request is still a draft');
  const head = await fake.head(repository, pull.headRef);
  if (body['sha'] !== undefined && body['sha'] !== head) {
    const message = 'Head branch was modified. Review and try the merge again.';
    return { status: 409, body: { message } };
  }
  if (mergeableState(repository, pull) === 'blocked') {
    const { reviews: count } = repository.rules;
    const words = count === 1 ? 'review is' : 'reviews are';
    return refuse(`At least ${count} approving ${words} required by reviewers with write access.`);
  }
  if (repository.rules.queue) return refuse('Changes must be made through the merge queue');
  if (pull.mergeable === false || repository.gitPath !== null) {
    return refuse('Pull Request is not mergeable');
  }
  const sha = head ?? '0'.repeat(40);
  Object.assign(pull, {
    state: 'closed',
    finalSha: sha,
    merge_commit_sha: sha,
    merged_at: new Date().toISOString(),
  });
  return { status: 200, body: { sha, merged: true, message: 'Pull Request successfully merged' } };
}
