import { array, assert, asyncProperty, constantFrom, oneof, string, tuple } from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { githubAgentApi } from '../../control-plane/src/integrations/github/code-host/agent-api/agent-api.ts';
import { createGitHubConnections } from '../../control-plane/src/integrations/github/api/github-connections.ts';
import { type CoreWorld, createCoreWorld } from '../support/core/core-world.ts';
import { openFramePeer } from '../support/core/runner-peers.ts';
import { FakeGitHub } from '../support/github/fake-github.ts';

const ROOT = '/api/v3/repos/acme/shop';
const NAME = '[^/?#\\\\:%]+';
/** What may arrive, written down a second time: fully decoded, below the repository. */
const READS = new RegExp(
  `^(?:/readme|/contents(?:/[^/?#\\\\%]+)*|/branches(?:/[^/]+)?|/git/ref(?:/[^/]+)+|/tags|/releases(?:/latest)?` +
    `|/labels|/milestones|/commits(?:/[^/]+(?:/(?:check-runs|check-suites|status|comments))?)?` +
    `|/compare(?:/${NAME})+|/check-runs/\\d+(?:/annotations)?|/actions/runs(?:/\\d+(?:/jobs)?)?` +
    `|/actions/jobs/\\d+(?:/logs)?|/issues(?:/\\d+(?:/(?:comments|labels))?)?|/issues/comments/\\d+` +
    `|/pulls(?:/\\d+(?:/(?:files|commits|comments|reviews(?:/\\d+(?:/comments)?)?))?)?` +
    `|/pulls/comments/\\d+)?$`,
);
const WRITES =
  /^\/(?:issues\/\d+\/(?:comments|reactions)|issues\/comments\/\d+\/reactions|pulls\/\d+\/(?:comments|reviews)|pulls\/\d+\/comments\/\d+\/replies|pulls\/comments\/\d+\/reactions)$/;

/** Decoded until nothing changes: the most generous reader there could be. */
function decoded(text: string): string {
  const next = decodeURIComponent(text);
  return next === text ? text : decoded(next);
}

function problemOf(method: string, url: string): string | null {
  const [path = '', query] = url.split('?', 2);
  const plain = decoded(path).normalize('NFKC');
  if (new URL(`http://x${plain}`).pathname.split('/').length !== path.split('/').length)
    return 'means another path once it is decoded';
  if (plain !== ROOT && !plain.startsWith(`${ROOT}/`)) return 'outside the repository';
  if (/(?:^|\/)\.{1,2}(?:\/|$)|\/\/|\\|[^\P{C}]/u.test(plain)) return 'leads elsewhere';
  const rest = plain.slice(ROOT.length);
  if (/[\r\n\0]/.test(decoded(query ?? ''))) return 'a query that breaks lines';
  if (method === 'GET') return READS.test(rest) ? null : `GET ${rest} is on no list`;
  if (query !== undefined) return 'a write with a query';
  if (method === 'POST') return WRITES.test(rest) ? null : `POST ${rest} is on no list`;
  return method === 'PATCH' && rest === '/pulls/7' ? null : `${method} ${rest} is on no list`;
}

describe('paths that agents make up', () => {
  let fake: FakeGitHub;
  let world: CoreWorld;
  let send: (method: string, path: string, body?: unknown) => Promise<boolean>;

  beforeAll(async () => {
    // An agent may read any path below a route, also one that GitHub answers with 404.
    fake = await FakeGitHub.start({ isDescribed: false });
    const repository = fake.addRepository('acme', 'shop');
    fake.addRepository('acme', 'other');
    fake.addRepository('eve', 'shop');
    world = await createCoreWorld(openFramePeer, {
      SERVICE_CONFIG__codehost__github__endpoint: fake.apiUrl,
      SERVICE_CONFIG__codehost__github__url: fake.webUrl,
      SERVICE_CONFIG__codehost__github__token: 'ghp_of-the-whole-account',
    });
    await world.deps.config.load();
    const github = createGitHubConnections(world.deps);
    const api = githubAgentApi({ github, clock: world.clock }, fake.urlOf(repository));
    const pullRequestUrl = `${fake.webUrl}/acme/shop/pull/7`;
    const scope = {
      tracker: 'local',
      issueId: '1',
      identifier: 'SY-1',
      readOnly: false,
      pullRequestUrl,
      repositoryUrl: fake.urlOf(repository),
    };
    send = async (method, path, body) => {
      const judged = api?.judge({ method, path, ...(body === undefined ? {} : { body }) }, scope);
      if (judged?.verdict !== 'allowed') return false;
      await judged.perform(AbortSignal.timeout(20_000));
      return true;
    };
  });
  afterAll(async () => {
    await world.close();
    await fake.close();
  });

  it('a colon that is written %3A does not pass the rule on other forks', async () => {
    const before = fake.requests.length;
    for (const side of ['eve:main', 'eve%3Amain', 'eve%3amain', 'eve%253Amain', 'eve%EF%BC%9Amain'])
      expect(await send('GET', `/repos/acme/shop/compare/main...${side}`)).toBe(false);
    expect(fake.requests.length).toBe(before);
  });

  it('arrive within the repository and the list, or not at all', async () => {
    const word = constantFrom(
      'repos',
      'acme',
      'shop',
      'other',
      'eve',
      'contents',
      'compare',
      'main...eve',
      'main',
      'issues',
      'pulls',
      'comments',
      'reviews',
      'reactions',
      'merge',
      'graphql',
      'user',
      '7',
      '1',
      '..',
      '.',
      '{owner}',
      '{repo}',
      'actions',
      'secrets',
      'jobs',
      'logs',
      'commits',
    );
    const mark = constantFrom(
      '/',
      '%2F',
      '%2f',
      '%252F',
      '%5C',
      '\\',
      ':',
      '%3A',
      '%3a',
      '%253A',
      '%2E',
      '%2e%2e',
      '..',
      '.',
      '?',
      '%3F',
      '#',
      '%23',
      '%00',
      '%0d%0a',
      '%',
      '%E2%81%84',
      '%E2%88%95',
      '%EF%BC%8F',
      '%EF%BC%9A',
      '%E2%80%A5',
      '%EF%BC%8E',
      '%C2%85',
      '%FF',
      '%c0%af',
      '@',
      ';',
      '&',
      '=',
      '+',
      '?page=1',
      '?ref=eve:main',
      '?head=eve%3Amain',
      '%E2%80%AE',
      '%ED%A0%80',
    );
    const tail = array(oneof(word, word, mark, string({ maxLength: 3 })), { maxLength: 5 });
    const start = constantFrom(
      '/repos/acme/shop/',
      '/repos/{owner}/{repo}/',
      '/repos/acme/shop/compare/main...',
      '/',
      '/repos/acme/shop/contents/',
      '/repos/acme/shop/issues/',
      '/repos/acme/shop/pulls/7',
      '/repos/acme/shop',
      '/repos/',
      '//',
      '/%72epos/ACME/sho%70/',
      'http://eve.example/',
    );
    const glue = constantFrom('', '/');
    const asked = tuple(start, tail, glue, constantFrom('GET', 'GET', 'POST', 'PATCH', 'DELETE'));
    let arrived = 0;
    await assert(
      asyncProperty(asked, async ([begin, parts, between, method]) => {
        const before = fake.requests.length;
        const body = method === 'GET' ? undefined : { body: 'words' };
        await send(method, begin + parts.join(between), body);
        for (const request of fake.requests.slice(before)) {
          arrived += 1;
          expect(problemOf(request.method, request.path), request.path).toBeNull();
        }
      }),
      { numRuns: 8_000 },
    );
    // A check over nothing would hold as well.
    expect(arrived).toBeGreaterThan(200);
  });
});
