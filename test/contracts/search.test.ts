import { SearchAnswer, type SearchKind } from '@switchyard/shared/api/admin/search';
import { describe, expect, it } from 'vitest';
import { pullRequests } from '../../control-plane/src/db/schema/work/pull-requests.ts';
import { neededScope } from '../../control-plane/src/http/access/needed-scope.ts';
import type { CoreWorld } from '../support/core/core-world.ts';
import { note } from '../support/core/scripted-runner.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { sceneWithLease } from './runner-protocol/scene.ts';

const LOCAL = { remoteAddress: '127.0.0.1' };
const make = useCoreWorlds();

const ask = (world: CoreWorld, path: string, init: RequestInit = {}) =>
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
  ...{ id: `pr_${title}`, number: 7, code_host: 'local', repository_url: 'file:///r' },
  ...{ branch: 'switchyard/SY-1', base: 'main', base_commit: 'a', commit_sha: 'b' },
  ...{ title, body, draft: false, status: 'open', issue_identifier: 'SY-1', attempt_id: 'att_1' },
  diff_stat: { files: 1, insertions: 1, deletions: 0 },
  ...{ created_at_ms: 1, updated_at_ms: 1 },
});

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
