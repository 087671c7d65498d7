import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAgentRequest } from './read-agent-request.ts';

const scope = { repository: { owner: 'acme', name: 'shop' }, pullNumber: 7, readOnly: false };
const read = (method: string, path: string, body?: unknown) =>
  readAgentRequest({ method, path, ...(body === undefined ? {} : { body }) }, scope);
const codeOf = (...given: Parameters<typeof read>) => {
  const answer = read(...given);
  return answer.ok ? 'ok' : answer.code;
};

describe('what an agent may ask of GitHub', () => {
  it.each([
    ['GET', '/repos/acme/shop', '/repos/acme/shop'],
    [
      'get',
      '/repos/Acme/Shop/pulls/7/comments?per_page=100',
      '/repos/acme/shop/pulls/7/comments?per_page=100',
    ],
    ['GET', '/repos/{owner}/{repo}/issues/3', '/repos/acme/shop/issues/3'],
    [
      'GET',
      '/repos/acme/shop/contents/src/a%20b.ts?ref=main',
      '/repos/acme/shop/contents/src/a%20b.ts?ref=main',
    ],
    [
      'GET',
      '/repos/acme/shop/compare/main...feature/x',
      '/repos/acme/shop/compare/main...feature/x',
    ],
    ['GET', '/repos/acme/shop/contents/a:b', '/repos/acme/shop/contents/a%3Ab'],
    ['GET', '/%72epos/acme/sho%70/issues/%33', '/repos/acme/shop/issues/3'],
    [
      'GET',
      '/repos/acme/shop/pulls?head=ada:x+y&state=all',
      '/repos/acme/shop/pulls?head=ada%3Ax%20y&state=all',
    ],
    [
      'GET',
      '/repos/acme/shop/contents/gr%C3%BC%C3%9Fe',
      '/repos/acme/shop/contents/gr%C3%BC%C3%9Fe',
    ],
  ])('%s %s', (method, path, asked) => {
    expect(read(method, path)).toMatchObject({ ok: true, path: asked });
  });

  it('lets it answer, and change its own pull request', () => {
    expect(codeOf('POST', '/repos/acme/shop/issues/3/comments', { body: 'On it' })).toBe('ok');
    const review = { event: 'COMMENT', body: 'See below' };
    expect(codeOf('POST', '/repos/acme/shop/pulls/8/reviews', review)).toBe('ok');
    expect(codeOf('PATCH', '/repos/acme/shop/pulls/7', { title: 'Better' })).toBe('ok');
    expect(codeOf('PATCH', '/repos/acme/shop/pulls/8', { title: 'Mine' })).toBe('not_own');
    expect(codeOf('PATCH', '/repos/acme/shop/pulls/7', { state: 'closed' })).toBe('malformed');
    expect(codeOf('POST', '/repos/acme/shop/pulls/8/reviews', { event: 'APPROVE' })).toBe(
      'malformed',
    );
    const long = { body: 'x'.repeat(70_000) };
    expect(codeOf('POST', '/repos/acme/shop/issues/3/comments', long)).toBe('too_large');
    const reader = { ...scope, readOnly: true };
    const say = { method: 'POST', path: '/repos/acme/shop/issues/3/comments', body: { body: 'x' } };
    expect(readAgentRequest(say, reader)).toMatchObject({ ok: false, code: 'read_only' });
  });

  it.each([
    ['DELETE', '/repos/acme/shop', 'not_allowed'],
    ['DELETE', '/repos/acme/shop/issues/comments/1', 'not_allowed'],
    ['PUT', '/repos/acme/shop/pulls/7/merge', 'not_allowed'],
    ['POST', '/repos/acme/shop/issues', 'not_allowed'],
    ['GET', '/repos/acme/shop/actions/secrets', 'not_allowed'],
    ['GET', '/repos/acme/shop/compare/main...eve:branch', 'not_allowed'],
    ['GET', '/repos/acme/shop/compare/main...eve%3Abranch', 'not_allowed'],
    ['GET', '/repos/acme/shop/%63ompare/main...eve%3abranch', 'not_allowed'],
    ['GET', '/repos/acme/shop/compare/main/eve%3Ashop%3Abranch', 'not_allowed'],
    ['GET', '/repos/acme/shop/compare/main...eve%253Abranch', 'path_refused'],
    ['GET', '/repos/acme/shop/compare/main...eve%EF%BC%9Abranch', 'path_refused'],
    ['GET', '/repos/acme/shop/compare/main...eve%E2%88%B6branch', 'path_refused'],
    ['GET', '/repos/acme/shop/contents/a%EF%BC%8Fb', 'path_refused'],
    ['GET', '/repos/acme/shop/contents/%E2%80%A5/b', 'path_refused'],
    ['GET', '/repos/acme/shop/contents/a%00b', 'path_refused'],
    ['GET', '/repos/acme/shop/contents/a%C2%85b', 'path_refused'],
    ['GET', '/repos/acme/shop/contents/a%FFb', 'path_refused'],
    ['GET', '/repos/acme/shop/contents/a%ED%A0%80b', 'path_refused'],
    ['GET', '/repos/acme/shop/contents/a%2', 'path_refused'],
    ['GET', '/repos/acme/shop/issues?access_token=x', 'path_refused'],
    ['GET', '/repos/acme/shop/issues?page=1&page=2', 'path_refused'],
    ['GET', '/repos/acme/shop/issues?%70age=1', 'path_refused'],
    ['GET', '/repos/acme/shop/issues?state=open%2526state=all', 'path_refused'],
    ['GET', '/repos/acme/shop/issues?state=open%0d%0aX:%20y', 'path_refused'],
    ['POST', '/repos/acme/shop/issues/3/comments?', 'malformed'],
    ['POST', '/graphql', 'not_allowed'],
    ['POST', '/api/graphql', 'not_allowed'],
    ['GET', '/user', 'not_allowed'],
    ['GET', '/repos/acme', 'not_allowed'],
    ['GET', '/repositories/1', 'not_allowed'],
    ['GET', '/repos/acme/other/issues', 'other_repository'],
    ['GET', '/repos/acme/shop2/issues', 'other_repository'],
    ['GET', '/repos/eve/shop/issues', 'other_repository'],
    ['GET', '/repos/acme/shop/../other/issues', 'path_refused'],
    ['GET', '/repos/acme/shop/contents/../../other', 'path_refused'],
    ['GET', '/repos/acme/shop/%2e%2e/other/issues', 'path_refused'],
    ['GET', '/repos/acme/shop/contents/a%2Fb', 'path_refused'],
    ['GET', '/repos/acme/shop/contents/a%5cb', 'path_refused'],
    ['GET', '/repos/acme/shop/contents/%252e%252e', 'path_refused'],
    ['GET', '/repos/acme/shop/contents/a%0d%0ab', 'path_refused'],
    ['GET', '/repos/acme/shop/issues#x', 'path_refused'],
    ['GET', '/repos/acme/shop\\issues', 'path_refused'],
    ['GET', '/repos/acme/shop//issues', 'path_refused'],
    ['GET', '//evil.example/repos/acme/shop', 'path_refused'],
    ['GET', 'https://evil.example/repos/acme/shop', 'path_refused'],
    ['GET', 'repos/acme/shop', 'path_refused'],
    ['GET', '/repos/acme/shop/issues\n', 'path_refused'],
    ['GET', '/repos/acme/shop/issues/١', 'path_refused'],
    ['GET', '/repos/acme/shop/issues/1e3', 'not_allowed'],
    ['GET', `/repos/acme/shop/contents/${'a'.repeat(2_000)}`, 'path_refused'],
  ])('refuses %s %s as %s, and says what to do', (method, path, code) => {
    expect(read(method, path)).toMatchObject({ ok: false, code });
    const answer = read(method, path);
    expect(answer.ok ? '' : answer.message).toMatch(/\w{3,}/);
  });

  it('refuses arguments of another form', () => {
    for (const given of [null, 'GET /', [], {}, { path: 7 }, { method: {}, path: '/' }]) {
      expect(readAgentRequest(given, scope)).toMatchObject({ ok: false, code: 'malformed' });
    }
  });

  it('lets words tell nobody and end no issue, and leaves code alone', () => {
    const said = 'cc @acme/everyone, closes other/repository#1 `@types/node`';
    const inert = 'cc @\u200bacme/everyone, c\u200bloses other/repository#\u200b1 `@types/node`';
    const message = inert.replace('`@', '`@\u200b');
    const comment = read('POST', '/repos/acme/shop/issues/3/comments', { body: said });
    expect(comment).toMatchObject({ ok: true, body: { body: inert } });
    const own = read('PATCH', '/repos/acme/shop/pulls/7', { title: said, body: said });
    expect(own).toMatchObject({ ok: true, body: { title: message, body: message } });
    const review = { event: 'COMMENT', comments: [{ path: 'a', line: 1, body: said }] };
    const lines = read('POST', '/repos/acme/shop/pulls/7/reviews', review);
    expect(lines).toMatchObject({ ok: true, body: { comments: [{ body: inert }] } });
  });

  it('never lets anything out of its repository, whatever is made of paths', () => {
    const parts = ['repos', 'acme', 'shop', '..', '.', '%2e', '%2F', '/', '\\', '?', '#', 'issues',
      'pulls', '1', '@', ':', '//', 'other', '{owner}', '{repo}', ';', '%', '&', ' ', 'contents']; // prettier-ignore
    const path = array(constantFrom(...parts), { maxLength: 12 });
    assert(
      property(path, constantFrom('/', ''), (some, glue) => {
        const answer = read('GET', `/repos/acme/shop/${some.join(glue)}`);
        if (!answer.ok) return;
        const url = new URL(`https://api.example${answer.path}`);
        expect(url.host).toBe('api.example');
        expect(`${url.pathname}/`.startsWith('/repos/acme/shop/')).toBe(true);
        expect(decodeURIComponent(url.pathname)).not.toMatch(/\/\.\.?(?:\/|$)/);
      }),
      { numRuns: 3_000 },
    );
  });
});
