import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appKey } from '../../control-plane/src/integrations/github/api/app-key.ts';
import { FakeGitHub } from '../support/github/fake-github.ts';
import type { FakeRepository } from '../support/github/fake-state.ts';
import { githubDescriptionPart } from '../support/github/github-description-part.ts';
import { GitHubDescription } from '../support/github/github-description.ts';

const SHA = 'a'.repeat(40);
const AT = '2026-01-02T03:04:05Z';
const ADA = { login: 'ada', id: 7, type: 'User' } as const;

const published = githubDescriptionPart();

describe.runIf(published.available)('the fake GitHub', () => {
  let fake: FakeGitHub;
  let repository: FakeRepository;
  let github: GitHubDescription;

  beforeAll(async () => {
    github = await GitHubDescription.load(published.available ? published.detail : '');
    fake = await FakeGitHub.start();
    repository = fake.addRepository('acme', 'shop');
    repository.branches.set('switchyard/sy-1', SHA);
    const said = { issue: 1, body: 'Hm', user: ADA, author_association: 'MEMBER', created_at: AT };
    repository.comments.push({ ...said, id: 11 });
    repository.reviews.push({ ...said, id: 12, state: 'CHANGES_REQUESTED' });
    repository.lineComments.push({ ...said, id: 13, path: 'src/a.ts', line: 7 });
    const output = { title: null, summary: 'Broken', text: null };
    const check = { id: 14, sha: SHA, name: 'unit', output, log: 'x' };
    repository.checks.push({ ...check, status: 'completed', conclusion: 'failure' });
    repository.checks.push({ ...check, id: 15, status: 'in_progress', conclusion: null });
    repository.statuses.push({ sha: SHA, context: 'ci', state: 'failure', description: 'broke' });
    repository.hooks = [
      {
        active: true,
        config: { url: 'https://switchyard.example/webhooks/codehost' },
        last_response: { code: 200, status: 'active', message: 'OK' },
      },
    ];
    fake.organisationHooks = repository.hooks;
    fake.appHook = { url: 'https://switchyard.example/webhooks/codehost', statusCodes: [200, 401] };
  }, 60_000);
  afterAll(() => fake.close());

  const REPOSITORY = '/repos/acme/shop';
  async function problemsOf(
    authorization: string,
    [method, path, status, body]: readonly [string, string, number, unknown?],
  ): Promise<string[]> {
    const response = await fetch(`${fake.apiUrl}${path}`, {
      method,
      headers: { Authorization: authorization },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(response.status).toBe(status);
    return github.problems({ method, path, status, body: await response.json() });
  }

  it.each([
    ['GET', '/user', 200],
    ['GET', REPOSITORY, 200],
    ['GET', `${REPOSITORY}/hooks`, 200],
    [
      'POST',
      `${REPOSITORY}/pulls`,
      201,
      { title: 'SY-1: Fix', head: 'switchyard/sy-1', base: 'main', body: 'What & why' },
    ],
    ['POST', `${REPOSITORY}/pulls`, 422, { title: 'x', head: 'no-such-branch', base: 'main' }],
    ['GET', `${REPOSITORY}/pulls?state=open`, 200],
    ['GET', `${REPOSITORY}/pulls/1`, 200],
    ['PATCH', `${REPOSITORY}/pulls/1`, 200, { title: 'SY-1: Fix it' }],
    ['POST', `${REPOSITORY}/pulls/1/requested_reviewers`, 201, { reviewers: ['ada'] }],
    ['POST', `${REPOSITORY}/issues/1/labels`, 200, { labels: ['agent'] }],
    ['GET', `${REPOSITORY}/pulls/1/reviews`, 200],
    ['GET', `${REPOSITORY}/pulls/1/comments`, 200],
    ['GET', `${REPOSITORY}/issues/1/comments`, 200],
    ['POST', `${REPOSITORY}/issues/1/comments`, 201, { body: 'On it' }],
    ['PATCH', `${REPOSITORY}/issues/comments/11`, 200, { body: 'Done' }],
    ['GET', `${REPOSITORY}/commits/${SHA}/check-runs`, 200],
    ['GET', `${REPOSITORY}/commits/${SHA}/status`, 200],
    ['POST', `${REPOSITORY}/issues`, 201, { title: 'New', body: 'x', labels: ['Todo'] }],
    ['GET', `${REPOSITORY}/issues?state=all`, 200],
    ['GET', `${REPOSITORY}/issues/2`, 200],
    ['PATCH', `${REPOSITORY}/issues/2`, 200, { state: 'closed', state_reason: 'completed' }],
    ['GET', `${REPOSITORY}/issues/2/dependencies/blocked_by`, 200],
    ['GET', `${REPOSITORY}/issues/99`, 404],
    ['GET', '/orgs/acme/hooks', 200],
  ] as const)('answers %s %s with %s as GitHub does', async (...request) => {
    const authorization = `Bearer ${fake.credentials.token}`;
    expect(await problemsOf(authorization, request)).toEqual([]);
  });

  it.each([
    ['GET', '/app', 200],
    ['GET', '/app/hook/config', 200],
    ['GET', '/app/hook/deliveries', 200],
    ['GET', `${REPOSITORY}/installation`, 200],
    ['POST', '/app/installations/99/access_tokens', 201, { repositories: ['shop'] }],
  ] as const)('answers an App %s %s with %s as GitHub does', async (...request) => {
    const { appId: issuer, privateKey } = fake.credentials;
    const nowS = Math.floor(Date.now() / 1_000);
    const jwt = await new SignJWT({})
      .setProtectedHeader({ alg: 'RS256' })
      .setIssuer(issuer)
      .setIssuedAt(nowS - 60)
      .setExpirationTime(nowS + 300)
      .sign(await appKey(privateKey));
    expect(await problemsOf(`Bearer ${jwt}`, request)).toEqual([]);
  });

  it('would be found out if it answered otherwise', () => {
    const answer = { method: 'GET', path: `${REPOSITORY}/issues/2`, status: 200, body: {} };
    expect(github.problems(answer).join('\n')).toContain('number');
    expect(github.problems({ ...answer, path: '/nowhere' })).toEqual([
      'GET /nowhere is not described',
    ]);
    expect(github.problems({ ...answer, status: 418 })).toEqual([
      'GET /repos/{owner}/{repo}/issues/{issue_number} never answers 418',
    ]);
  });
});
