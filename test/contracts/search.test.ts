import { SearchAnswer, type SearchKind } from '@switchyard/shared/api/admin/search';
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../control-plane/src/db/database.ts';
import { eventChunks } from '../../control-plane/src/db/schema/operation/events.ts';
import { localIssues } from '../../control-plane/src/db/schema/work/local-issues.ts';
import { pullRequests } from '../../control-plane/src/db/schema/work/pull-requests.ts';
import { neededScope } from '../../control-plane/src/http/access/needed-scope.ts';
import {
  issuesWithTerms,
  pullRequestsWithTerms,
} from '../../control-plane/src/admin/search/queries.ts';
import { searchEverything } from '../../control-plane/src/admin/search/search-everything.ts';
import type { CoreWorld } from '../support/core/core-world.ts';
import { note } from '../support/core/scripted-runner.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { sceneWithLease } from './runner-protocol/scene.ts';

const LOCAL = { remoteAddress: '127.0.0.1' };
const make = useCoreWorlds();

const ask = async (world: CoreWorld, path: string, init: RequestInit = {}) =>
  world.core.app.request(
    path,
    { ...init, headers: { Host: 'localhost', 'Content-Type': 'application/json' } },
    LOCAL,
  );

async function find(world: CoreWorld, query: string, limit = 40) {
  const answer = await ask(world, `/api/v1/search?q=${encodeURIComponent(query)}&limit=${limit}`);
  expect(answer.status).toBe(200);
  return SearchAnswer.parse(await answer.json()).results;
}
const ofKind = async (world: CoreWorld, query: string, kind: SearchKind) =>
  (await find(world, query)).filter((result) => result.kind === kind);

const pullRequest = (title: string, body = ''): typeof pullRequests.$inferInsert => ({
  id: `pr_${title}`,
  number: 7,
  code_host: 'local',
  repository_url: 'file:///r',
  branch: 'switchyard/SY-1',
  base: 'main',
  base_commit: 'a',
  commit_sha: 'b',
  title,
  body,
  draft: false,
  status: 'open',
  issue_identifier: 'SY-1',
  attempt_id: 'att_1',
  diff_stat: { files: 1, insertions: 1, deletions: 0 },
  created_at_ms: 1,
  updated_at_ms: 1,
});

const HAY = 'hay and straw '.repeat(1_000);

/** Some megabytes of each kind; the needle is in the oldest row of each. */
async function storeLongHistory({ deps: { db } }: CoreWorld): Promise<void> {
  const textOf = (number: number) => `${number === 0 ? 'needle ' : ''}word ${number} ${HAY}`;
  const numbers = Array.from({ length: 150 }, (_, number) => number);
  await db.insert(localIssues).values(
    numbers.map((number) => ({
      id: `i${number}`,
      number: number + 1,
      identifier: `SY-${number + 1}`,
      title: `Issue ${number}`,
      description: textOf(number),
      state: 'Backlog' as const,
      labels: [],
      blocked_by: [],
      created_at_ms: 1,
      updated_at_ms: 1_000 + number,
    })),
  );
  await db
    .insert(pullRequests)
    .values(numbers.map((number) => pullRequest(`Change ${number}`, textOf(number))));
  await db.insert(eventChunks).values(
    numbers.map((number) => ({
      first_seq: 1_000 + number,
      last_seq: 1_000 + number,
      at_ms: 1,
      epoch: 1,
      attempt_id: `att_${number}`,
      from_runner_seq: 1,
      items: [
        {
          type: 'attempt.event' as const,
          atMs: 1,
          data: { kind: 'note', identifier: 'SY-1', epoch: 1, payload: { text: textOf(number) } },
        },
      ],
    })),
  );
}

/** The same rows, read as from a server elsewhere. */
const inOneGo = (db: Database): Database => Object.assign(Object.create(db), { blocks: false });

describe('GET /api/v1/search', () => {
  it('finds issues by title, description, label and identifier, also those that rest', async () => {
    const world = await make();
    const title = await world.createIssue({ title: 'Cache the thumbnails' });
    const text = await world.createIssue({
      title: 'Pictures are slow',
      description: `${'much was said. '.repeat(40)}Perhaps a cache helps.`,
      state: 'Backlog',
      labels: ['slow-lane'],
    });
    const found = await ofKind(world, 'cache', 'issue');
    expect(found.map(({ link }) => link)).toEqual([`/issues/${title}`, `/issues/${text}`]);
    expect(found[1]?.detail).toContain('a cache helps');
    expect((await find(world, text.toLowerCase()))[0]?.title).toBe(`${text} Pictures are slow`);
    expect(await ofKind(world, 'slow-lane', 'label')).toMatchObject([
      { link: '/board?q=slow-lane' },
    ]);
  });

  it('wants all words, and ranks whole ones before parts', async () => {
    const world = await make();
    await world.createIssue({ title: 'Logging is loud' });
    const whole = await world.createIssue({ title: 'The log is loud' });
    await world.createIssue({ title: 'The log is fine' });
    const found = await ofKind(world, 'loud log', 'issue');
    expect(found.map(({ title }) => title)).toEqual([
      `${whole} The log is loud`,
      'SY-1 Logging is loud',
    ]);
  });

  it('finds words with letters beyond A to Z in either case, and takes signs for what they are', async () => {
    const world = await make();
    await world.createIssue({ title: 'Übungen an Übergänge anpassen' });
    await world.createIssue({ title: '100 % of a_b' });
    expect(await ofKind(world, 'übungen', 'issue')).toHaveLength(1);
    expect(await ofKind(world, 'ÜBERGÄNGE', 'issue')).toHaveLength(1);
    expect(await ofKind(world, '%', 'issue')).toHaveLength(1);
    expect(await ofKind(world, 'a%b', 'issue')).toEqual([]);
    expect(await ofKind(world, "'; drop table issues --", 'issue')).toEqual([]);
  });

  it('finds pull requests, settings and the names of secrets, never a value', async () => {
    const world = await make();
    await world.deps.db
      .insert(pullRequests)
      .values([
        pullRequest('Cache the thumbnails', 'so that pages are quick'),
        pullRequest('Something else'),
      ]);
    const stored = await ask(world, '/api/v1/secrets/MODEL_KEY', {
      method: 'POST',
      body: JSON.stringify({ value: 'very-hidden-value' }),
    });
    expect(stored.status).toBe(204);
    expect(await ofKind(world, 'quick thumbnails', 'pull_request')).toMatchObject([
      { title: '#7 Cache the thumbnails', link: '/pull-requests/pr_Cache the thumbnails' },
    ]);
    expect((await ofKind(world, 'maxConcurrentAgents', 'setting'))[0]).toMatchObject({
      title: 'agent.maxConcurrentAgents',
      link: '/config?section=agent',
    });
    expect(await ofKind(world, 'model_key', 'secret')).toMatchObject([
      { title: 'MODEL_KEY', link: '/secrets' },
    ]);
    expect(await find(world, 'very-hidden-value')).toEqual([]);
  });

  it('finds lines of a log, with a link to the line', async () => {
    const { world, runner, lease, identifier } = await sceneWithLease(make);
    const item = { type: 'agent_message', text: 'I looked for "needles" in haystacks.' };
    await runner.events(
      lease,
      note('nothing here'),
      { kind: 'item', payload: { state: 'ended', itemId: 'i7', item } },
      ...Array.from({ length: 9 }, (_, number) => note(`haystack ${number}`)),
    );
    const [line] = await ofKind(world, '"needles"', 'log');
    expect(line).toMatchObject({ detail: item.text });
    const link = new URL(line?.link ?? '', 'http://localhost');
    expect(link.pathname).toBe(`/issues/${identifier}`);
    expect(link.searchParams.get('attempt')).toBe(lease.attemptId);
    expect(link.searchParams.get('line')).toBe('item:1:i7');
    expect(await ofKind(world, 'haystack', 'log')).toHaveLength(3);
    expect(await ofKind(world, 'runnerSeq', 'log')).toEqual([]);
  });

  it('looks through all of a long history, and finds the same in pieces as at once', async () => {
    const world = await make();
    await storeLongHistory(world);
    const once: CoreWorld['deps'] = { ...world.deps, db: inOneGo(world.deps.db) };
    for (const query of ['needle', 'word 17', 'hay needle', 'nowhere']) {
      const limit = 100;
      const inPieces = await searchEverything(world.deps, { query, limit });
      expect(inPieces).toEqual(await searchEverything(once, { query, limit }));
    }
    const kinds = (await find(world, 'needle')).map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(['issue', 'pull_request', 'log']));
  });

  it('reads each row once, whatever is added or changed between its pieces', async () => {
    const world = await make();
    await storeLongHistory(world);
    const { db } = world.deps;
    const read: string[] = [];
    let change = 0;
    for await (const rows of pullRequestsWithTerms(db, ['hay'])) {
      read.push(...rows.map(({ id }) => id));
      await db.insert(pullRequests).values(pullRequest(`Added ${(change += 1)}`, HAY));
    }
    expect(read).toHaveLength(150);
    expect(new Set(read).size).toBe(150);
    const found = new Set<string>();
    for await (const rows of issuesWithTerms(db, ['hay'])) {
      for (const { identifier } of rows) found.add(identifier);
      await db.update(localIssues).set({ updated_at_ms: 5_000 }).where(eq(localIssues.id, 'i0'));
    }
    expect(found.size).toBe(150);
  });

  it('leaves others their turn: what they ask is answered between its pieces', async () => {
    const world = await make();
    await storeLongHistory(world);
    const order: string[] = [];
    const searches = Array.from({ length: 8 }, async (_, number) => {
      await find(world, `hay ${number}`);
      order.push('search');
    });
    const others = Array.from({ length: 20 }, () => ask(world, '/healthz'));
    for (const answer of others) expect((await answer).status).toBe(200);
    // Several turns of the event loop, as a new connection takes.
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setTimeout(resolve, 0));
    order.push('others');
    await Promise.all(searches);
    expect(order.indexOf('others')).toBeLessThanOrEqual(1);
  });

  it('gives up what nobody waits for, and refuses more than may wait', async () => {
    const world = await make();
    await storeLongHistory(world);
    const controller = new AbortController();
    const { signal } = controller;
    const from = (remoteAddress: string) =>
      world.core.app.request('/api/v1/search?q=hay', { signal }, { remoteAddress });
    const refusal = async (remoteAddress: string) => {
      const refused = await from(remoteAddress);
      expect(refused.status).toBe(503);
      expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
      expect(await refused.json()).toMatchObject({ code: 'too_many_searches' });
    };
    const left: (Response | Promise<Response>)[] = [];
    for (const client of ['192.0.2.1', '192.0.2.2']) {
      left.push(...Array.from({ length: 8 }, () => from(client)));
      await refusal(client);
    }
    await refusal('192.0.2.3');
    controller.abort();
    const [, ...waiting] = await Promise.all(left.map(async (answer) => answer));
    for (const answer of waiting) expect(await answer.json()).toMatchObject({ results: [] });
    expect((await find(world, 'needle')).length).toBeGreaterThan(0);
  });

  it('names issues before pull requests, and labels after them, among equals', async () => {
    const world = await make();
    await world.createIssue({ title: 'A lamp here', labels: ['lamp one'] });
    await world.deps.db.insert(pullRequests).values(pullRequest('the lamp there'));
    const found = (await find(world, 'lamp')).map(({ kind }) => kind);
    expect(found).toEqual(['issue', 'pull_request', 'label']);
  });

  it('answers no more than is asked for, and refuses what is no query', async () => {
    const world = await make();
    for (let number = 0; number < 4; number += 1) await world.createIssue({ title: 'Fix it' });
    expect(await find(world, 'fix', 2)).toHaveLength(2);
    for (const query of [
      '',
      'q=',
      'q=%20',
      'q=a&limit=0',
      'q=a&limit=101',
      `q=${'a'.repeat(201)}`,
    ]) {
      expect((await ask(world, `/api/v1/search?${query}`)).status).toBe(400);
    }
  });

  it('needs no more than the right to read', () => {
    expect(neededScope('GET', '/api/v1/search')).toBe('read');
  });
});
