import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusal } from '../../../../test/support/linear/fake-linear.ts';
import {
  createLinearHarness,
  type LinearHarness,
} from '../../../../test/support/linear/linear-harness.ts';
import type { TrackerErrorCategory } from '../../ports/tracker/tracker.ts';
import type { UnreadableRecord } from '../../ports/tracker/unreadable-record.ts';
import { checkLinearWebhook, ensureLinearWebhook } from './webhook/linear-webhook.ts';

let harness: LinearHarness;
beforeEach(async () => {
  harness = await createLinearHarness();
});
afterEach(() => harness.close());

function add(
  title: string,
  more: { state?: string; blockedBy?: string[]; labels?: string[] } = {},
) {
  const { world } = harness.fake;
  const stateId = world.stateNamed(more.state ?? 'Todo').id;
  const labelIds = (more.labels ?? []).map((name) => world.labelNamed(name).id);
  return world.add({ title, stateId, labelIds, blockedBy: more.blockedBy ?? [] }, world.ada);
}
const todo = () => harness.tracker.fetchByStates(['Todo']);
const titles = async () => (await todo()).map(({ title }) => title);

describe('reading', () => {
  it('reads page after page of 50, also of labels and relations', async () => {
    const blockers = Array.from({ length: 75 }, (_, at) => add(`b ${at}`, { state: 'Done' }).id);
    const labels = Array.from({ length: 60 }, (_, at) => `label ${at}`);
    add('many', { blockedBy: blockers, labels });
    for (let at = 1; at < 120; at += 1) add(`issue ${at}`);
    const found = await todo();
    expect(found).toHaveLength(120);
    expect(new Set(found.map(({ id }) => id)).size).toBe(120);
    const many = found.find(({ title }) => title === 'many');
    expect(many?.labels).toHaveLength(60);
    expect(many?.blockedBy).toHaveLength(75);
    const pages = harness.fake.requests.filter(({ operation }) => operation === 'Issues');
    expect(pages.map(({ variables }) => variables['first'])).toEqual([50, 50, 50]);
  });

  it('gives only what changed since a time, in whatever state', async () => {
    const [first, second] = [add('first'), add('second')];
    const sinceMs = second.updatedAtMs;
    const { world } = harness.fake;
    world.change(first.id, { stateId: world.stateNamed('Done').id }, world.ada);
    const changed = await harness.tracker.probe?.({ sinceMs });
    expect(changed?.map(({ id, state }) => [id, state])).toEqual([
      [first.id, 'Done'],
      [second.id, 'Todo'],
    ]);
  });

  it('tells of a row that cannot be read, which is neither found nor gone', async () => {
    const { tracker, fake } = harness;
    const [good, bad] = [add('good'), add('bad')];
    fake.spoil = (data: { issues?: { nodes: { title: unknown; state: unknown }[] } }) => {
      for (const node of data.issues?.nodes ?? []) if (node.title === 'bad') node.state = null;
    };
    const unreadable: UnreadableRecord[] = [];
    const tell = (record: UnreadableRecord) => void unreadable.push(record);
    const problem = expect.stringContaining('state') as string;
    const record = { id: bad.id, name: 'ENG-2', problem, state: null };
    const listed = await tracker.fetchByStates(['Todo'], tell);
    expect(listed.map(({ title }) => title)).toEqual(['good']);
    expect(unreadable.splice(0)).toMatchObject([record]);
    const asked = await tracker.fetchByIds([good.id, bad.id, randomUUID()], tell);
    expect(asked.map(({ title }) => title)).toEqual(['good']);
    expect(unreadable.splice(0)).toMatchObject([record]);
    await expect(tracker.fetchByIds([bad.id])).rejects.toMatchObject({ category: 'response' });
    fake.spoil = () => {};
    expect(await titles()).toEqual(['good', 'bad']);
  });

  it('takes none for gone while a record has no id that can be read', async () => {
    const { tracker, fake } = harness;
    const ids = [add('one').id, add('two').id];
    fake.spoil = (data: { issues?: { nodes: ({ id: unknown } | null)[] } }) => {
      if (data.issues !== undefined) data.issues.nodes[1] = null;
    };
    const unreadable: (string | null)[] = [];
    const found = await tracker.fetchByIds(ids, ({ id }) => void unreadable.push(id));
    expect(new Set([...found.map(({ id }) => id), ...unreadable])).toEqual(new Set(ids));
  });

  it('of an issue whose further labels cannot be read takes none, and reads the others', async () => {
    const { tracker, fake } = harness;
    const labels = Array.from({ length: 30 }, (_, at) => `label ${at}`);
    const [many] = [add('many', { labels }), add('few')];
    fake.spoil = (data: { issue?: { labels: unknown } }, operation) => {
      if (operation === 'LabelsOfIssue' && data.issue !== undefined) data.issue.labels = null;
    };
    const unreadable: (string | null)[] = [];
    const found = await tracker.fetchByStates(['Todo'], ({ id }) => void unreadable.push(id));
    expect(found.map(({ title }) => title)).toEqual(['few']);
    expect(unreadable).toEqual([many.id]);
  });

  it('stops at a cursor that is missing or goes in a circle', async () => {
    for (let at = 0; at < 60; at += 1) add(`issue ${at}`);
    type Page = { issues: { pageInfo: { hasNextPage: boolean; endCursor: string | null } } };
    const missing = (data: Page) => void (data.issues.pageInfo.endCursor = null);
    harness.fake.fail({ kind: 'data', change: missing });
    await expect(todo()).rejects.toMatchObject({ category: 'pagination' });
    const circle = (data: Page) => {
      data.issues.pageInfo = { hasNextPage: true, endCursor: 'c' };
    };
    for (let at = 0; at < 3; at += 1) harness.fake.fail({ kind: 'data', change: circle });
    await expect(todo()).rejects.toMatchObject({ category: 'pagination' });
  });

  it('says why an issue is not for this service: project, team, assignee, author', async () => {
    const { world } = harness.fake;
    const { id } = add('mine');
    const why = async () => (await harness.tracker.fetchByIds([id]))[0]?.unroutable;
    expect(await why()).toBeNull();
    Object.assign(harness.scope, { assignee: 'me' });
    expect(await why()).toContain('assigned');
    world.change(id, { assignee: world.ada }, world.ada);
    expect(await why()).toContain('somebody else');
    world.change(id, { assignee: world.me }, world.ada);
    expect(await why()).toBeNull();
    Object.assign(harness.scope, { allowedAuthors: ['bob@example.com'] });
    expect(await why()).toContain('author');
    Object.assign(harness.scope, { allowedAuthors: ['ADA@example.com'] });
    expect(await why()).toBeNull();
    Object.assign(harness.scope, { team: 'OPS' });
    expect(await why()).toContain('team');
    Object.assign(harness.scope, { team: 'eng', projectSlug: 'p1' });
    expect(await why()).toContain('project');
    expect(await todo()).toEqual([]);
  });
});

describe('trouble', () => {
  const cases: [string, Parameters<LinearHarness['fake']['fail']>[0], TrackerErrorCategory][] = [
    ['a cut connection', { kind: 'cut' }, 'transport'],
    ['a bad gateway', { kind: 'status', status: 502, body: '<html>' }, 'status'],
    ['a redirect', { kind: 'status', status: 302, headers: { location: '/' } }, 'status'],
    ['junk', { kind: 'status', status: 200, body: 'x'.repeat(100_000) }, 'response'],
    [
      'other data',
      { kind: 'data', change: (d: object) => Object.assign(d, { issues: 1 }) },
      'response',
    ],
    ['a refused key', { kind: 'status', status: 401 }, 'auth'],
    [
      'a refused key in words',
      { kind: 'status', status: 400, body: refusal('AUTHENTICATION_ERROR') },
      'auth',
    ],
    [
      'another refusal',
      { kind: 'status', status: 400, body: refusal('INPUT_ERROR', 'no\u202e') },
      'status',
    ],
  ];
  it.each(cases)('tells %s by its category', async (_, fault, category) => {
    harness.fake.fail(fault);
    await expect(todo()).rejects.toMatchObject({ category });
    expect(await todo()).toEqual([]);
  });

  it('is not found without a key, and never sends one elsewhere', async () => {
    harness.credential.value = null;
    await expect(todo()).rejects.toMatchObject({ category: 'auth' });
    expect(harness.fake.requests).toEqual([]);
  });

  it.each([
    [429, { 'retry-after': '30' }, 30_000],
    [400, {}, 60_000],
    [
      429,
      { 'x-ratelimit-requests-remaining': '0', 'x-ratelimit-requests-reset': 'in 90 s' },
      90_000,
    ],
  ])('leaves Linear alone after %i until it says (%o)', async (status, headers, waitMs) => {
    const { fake, clock } = harness;
    const beganMs = clock.nowMs();
    const reset = String(beganMs + 90_000);
    const given =
      'retry-after' in headers || waitMs === 60_000
        ? headers
        : { ...headers, 'x-ratelimit-requests-reset': reset };
    fake.fail({ kind: 'status', status, body: refusal('RATELIMITED'), headers: { ...given } });
    const error: unknown = await todo().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ category: 'rate_limited' });
    const { retryAtMs } = error as { retryAtMs: number };
    expect(retryAtMs).toBeGreaterThanOrEqual(beganMs + waitMs);
    expect(retryAtMs).toBeLessThan(clock.nowMs() + waitMs + 1_000);
    await expect(todo()).rejects.toMatchObject({ category: 'rate_limited', retryAtMs });
    expect(fake.requests).toHaveLength(1);
    clock.advance(waitMs + 5_000);
    expect(await todo()).toEqual([]);
  });

  it('asks no more once an answer says that nothing is left', async () => {
    const { fake, clock } = harness;
    const headers = {
      'x-ratelimit-complexity-remaining': '0',
      'x-ratelimit-complexity-reset': String(clock.nowMs() + 20_000),
    };
    fake.fail({ kind: 'status', status: 502, headers });
    await expect(todo()).rejects.toMatchObject({ category: 'status' });
    await expect(todo()).rejects.toMatchObject({ category: 'rate_limited' });
    clock.advance(21_000);
    expect(await todo()).toEqual([]);
  });
});

describe('writing', () => {
  it('writes its comment anew where a person deleted it', async () => {
    const { tracker, fake } = harness;
    const { id } = add('talk');
    const first = await tracker.upsertComment(id, 'status', 'one');
    fake.world.comments.length = 0;
    const second = await tracker.upsertComment(id, 'status', 'two');
    expect(second).not.toBe(first);
    expect(await tracker.upsertComment(id, 'status', 'three')).toBe(second);
    expect(fake.world.comments.map(({ body }) => body)).toEqual(['three']);
  });

  it('subscribes once per address and sees when the subscription is off', async () => {
    const { ask, fake } = harness;
    const url = 'https://switchyard.example/webhooks/tracker';
    expect(await checkLinearWebhook(ask, url)).toBe('missing');
    const id = await ensureLinearWebhook(ask, { url, secret: 'one' });
    expect(await ensureLinearWebhook(ask, { url, secret: 'two' })).toBe(id);
    expect(fake.world.webhooks).toMatchObject([{ id, url, secret: 'two', enabled: true }]);
    expect(await checkLinearWebhook(ask, url)).toBe('ok');
    Object.assign(fake.world.webhooks[0] ?? {}, { enabled: false });
    expect(await checkLinearWebhook(ask, url)).toBe('missing');
  });

  it('makes no second subscription beside one whose standing cannot be read', async () => {
    const { ask, fake } = harness;
    const url = 'https://switchyard.example/webhooks/tracker';
    const id = await ensureLinearWebhook(ask, { url, secret: 'one' });
    fake.spoil = (data: { webhooks?: { nodes: object[] } }) => {
      const odd = { id: 'other', url: 7, enabled: null };
      data.webhooks?.nodes.unshift(odd);
      for (const node of data.webhooks?.nodes ?? []) Object.assign(node, { enabled: null });
    };
    expect(await ensureLinearWebhook(ask, { url, secret: 'two' })).toBe(id);
    expect(await checkLinearWebhook(ask, url)).toBe('missing');
  });
});
