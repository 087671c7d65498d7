import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { FakeGitHub } from '../../../../../test/support/github/fake-github.ts';
import { GitHubClient } from './github-client.ts';
import { githubAddresses, type GitHubSettings } from './github-settings.ts';

const NOW = Date.parse('2026-01-02T03:04:05.000Z');
const Row = z.object({ number: z.int() });
let fake: FakeGitHub;
let client: GitHubClient;
const auth = async () => `Bearer ${fake.credentials.token}`;

beforeEach(async () => {
  fake = await FakeGitHub.start();
  const repository = fake.addRepository('acme', 'shop');
  for (const branch of ['a', 'b', 'c']) {
    repository.branches.set(branch, '1'.repeat(40));
    repository.branches.set('main', '2'.repeat(40));
  }
  const settings: GitHubSettings = {
    ...githubAddresses({ endpoint: fake.apiUrl, url: fake.webUrl }),
    token: 'x',
    app: undefined,
    draft: false,
    labels: [],
    reviewers: [],
    teamReviewers: [],
    namedBots: [],
  };
  client = new GitHubClient({ clock: { nowMs: () => NOW } }, settings);
  for (const head of ['a', 'b', 'c']) {
    const body = { title: head, head, base: 'main' };
    await client.json(z.unknown(), auth, { method: 'POST', path: '/repos/acme/shop/pulls', body });
  }
});
afterEach(() => fake.close());

const pulls = () => client.list(Row, auth, { path: '/repos/acme/shop/pulls?per_page=100' });

describe('the client of GitHub', () => {
  it('reads all pages, and asks again only whether they are the same', async () => {
    fake.pageSize = 2;
    expect((await pulls()).map(({ number }) => number)).toEqual([1, 2, 3]);
    const before = fake.requests.length;
    expect(await pulls()).toHaveLength(3);
    expect(fake.requests.length - before).toBe(2);
  });

  it('leaves out rows that it cannot read, and refuses what is no list', async () => {
    const body = JSON.stringify([{ number: 1 }, { number: 'two' }, null, { number: 3 }]);
    fake.makeTrouble({ match: /pulls/, times: 1, status: 200, body });
    expect((await pulls()).map(({ number }) => number)).toEqual([1, 3]);
    for (const junk of ['{"rows":[]}', '[{"number":1}', '']) {
      fake.makeTrouble({ match: /pulls/, times: 1, status: 200, body: junk });
      await expect(pulls()).rejects.toMatchObject({ category: 'response' });
    }
  });

  it('never follows a page to another host, nor round in circles', async () => {
    const elsewhere = { Link: '<http://127.0.0.1:1/steal>; rel="next"' };
    fake.makeTrouble({ match: /pulls/, times: 1, status: 200, body: '[]', headers: elsewhere });
    await expect(pulls()).rejects.toMatchObject({ category: 'pagination' });
    const itself = { Link: `<${fake.apiUrl}/repos/acme/shop/pulls?page=2>; rel="next"` };
    fake.makeTrouble({ match: /pulls/, times: 9, status: 200, body: '[]', headers: itself });
    await expect(pulls()).rejects.toMatchObject({ category: 'pagination' });
  });

  it.each([
    [429, { 'Retry-After': '7' }, 7_000],
    [403, { 'Retry-After': '30' }, 30_000],
    [403, { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(NOW / 1_000 + 90) }, 90_000],
    [429, {}, 60_000],
  ])('says when to come back: %s %j', async (status, headers, waitMs) => {
    fake.makeTrouble({ match: /pulls/, times: 1, status, headers });
    await expect(pulls()).rejects.toMatchObject({
      category: 'rate_limited',
      retryable: true,
      retryAtMs: NOW + waitMs,
    });
  });

  it('does not wait for the rest of a refusal that is too long to be read', async () => {
    const body = JSON.stringify({ message: 'x'.repeat(200_000) });
    fake.makeTrouble({ match: /pulls/, times: 1, status: 403, body });
    await expect(pulls()).rejects.toMatchObject({ category: 'status', status: 403 });
  });

  it('tells apart what may fare better later', async () => {
    fake.makeTrouble({ match: /pulls/, times: 1, status: 502, body: '<html>' });
    await expect(pulls()).rejects.toMatchObject({ category: 'status', retryable: true });
    fake.makeTrouble({ match: /pulls/, times: 1, cut: true });
    await expect(pulls()).rejects.toMatchObject({ category: 'transport', retryable: true });
    fake.makeTrouble({ match: /pulls/, times: 1, status: 422, body: '{"message":"no commits"}' });
    await expect(pulls()).rejects.toMatchObject({
      category: 'status',
      retryable: false,
      message: expect.stringContaining('no commits'),
    });
    const wrong = client.list(Row, async () => 'Bearer wrong', { path: '/repos/acme/shop/issues' });
    await expect(wrong).rejects.toMatchObject({ category: 'auth' });
    await expect(wrong).rejects.not.toThrow(/wrong/);
  });
});
