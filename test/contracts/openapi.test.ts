import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CoreWorld, createCoreWorld } from '../support/core/core-world.ts';
import { openFramePeer } from '../support/core/runner-peers.ts';

const LOCAL = { remoteAddress: '127.0.0.1' };

type Operation = {
  operationId: string;
  tags: string[];
  summary?: string;
  responses: Record<string, unknown>;
};
type Document = {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
};

let world: CoreWorld;
beforeAll(async () => {
  world = await createCoreWorld(openFramePeer);
});
afterAll(() => world.close());

const ask = (path: string) =>
  world.core.app.request(path, { headers: { Host: 'localhost' } }, LOCAL);
const read = async (query = '') => await (await ask(`/api/v1/openapi.json${query}`)).text();

/** What the linter says, its rule first. */
async function lint(source: string): Promise<string[]> {
  const config = await createConfig({
    extends: ['recommended'],
    // An issue's identifier and the other names under /api/v1 share a place in the path.
    // Probes are open to everybody and take nothing that could be wrong.
    rules: { 'no-ambiguous-paths': 'off', 'operation-4xx-response': 'off' },
  });
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  return problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`,
  );
}

describe('the OpenAPI document', () => {
  it.each([
    ['', '3.1.0'],
    ['?version=3.1', '3.1.0'],
    ['?version=3.0', '3.0.3'],
  ])('is served and clean to a linter with %s as %s', async (query, version) => {
    const text = await read(query);
    expect((JSON.parse(text) as Document).openapi).toBe(version);
    expect(await lint(text)).toEqual([]);
  });

  it('names each operation once, with a group, words and its errors', async () => {
    const { paths } = JSON.parse(await read()) as Document;
    const operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ at: `${method} ${path}`, operation })),
    );
    const names = operations.map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const { at, operation } of operations) {
      expect(operation.summary, at).toMatch(/\S/);
      expect(operation.tags, at).toHaveLength(1);
      expect(operation.tags, at).not.toContain('Further');
      expect(Object.keys(operation.responses), at).toContain('500');
    }
    const bare = operations
      .filter(({ at }) => at.includes('/api/'))
      .filter(({ operation }) => !/\b4\d\d\b/.test(Object.keys(operation.responses).join(' ')));
    expect(bare).toEqual([]);
    const change = paths['/api/v1/config/overlay']?.['put'];
    expect(Object.keys(change?.responses ?? {})).toEqual(
      expect.arrayContaining(['200', '400', '401', '403', '409', '413', '415', '429', '500']),
    );
  });

  it('says the same in both versions', async () => {
    const [newer, older] = [await read(), await read('?version=3.0')].map(
      (text) => JSON.parse(text) as Document,
    );
    const names = (document: Document | undefined) =>
      Object.entries(document?.paths ?? {}).flatMap(([path, item]) =>
        Object.keys(item).map((method) => `${method} ${path}`),
      );
    expect(names(older)).toEqual(names(newer));
    expect(Object.keys(older?.components.schemas ?? {}).sort()).toEqual(
      Object.keys(newer?.components.schemas ?? {}).sort(),
    );
  });

  it('is not there in another version', async () => {
    const answer = await ask('/api/v1/openapi.json?version=2.0');
    expect(answer.status).toBe(400);
  });
});

describe('GET /api/docs', () => {
  it('is a page that loads nothing from elsewhere', async () => {
    const answer = await ask('/api/docs');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('Content-Type')).toMatch(/^text\/html/);
    expect(answer.headers.get('Content-Security-Policy')).toContain("script-src 'self';");
    const page = await answer.text();
    expect(page).toContain('spec-url="/api/v1/openapi.json"');
    expect(page).not.toMatch(/(src|href)="(https?:)?\/\//);
  });
});
