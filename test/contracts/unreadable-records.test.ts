import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Observability } from '@switchyard/shared/api/observability';
import { issues } from '../../control-plane/src/db/schema/work/issues.ts';
import { steers } from '../../control-plane/src/db/schema/work/requests.ts';
import { facts as factRows } from '../../control-plane/src/db/schema/admin/config.ts';
import { createIntegrationHost } from '../../control-plane/src/create-integration-host.ts';
import { callCore } from '../support/core/call-core.ts';
import { scriptRunner } from '../support/core/scripted-runner.ts';
import { refusal } from '../support/linear/fake-linear.ts';
import {
  createUnreadableGitHub,
  createUnreadableLinear,
  type ForeignRecord,
  type UnreadableGitHub,
  type UnreadableTracker,
} from '../support/unreadable-trackers.ts';

const POLL_MS = 15_000;
const WHOLE_LOOK_MS = 600_000;

let scene: UnreadableTracker;
afterEach(() => scene.close());

const rows = () => scene.world.deps.db.select().from(issues);
const row = async (id: string) => (await rows()).find((each) => each.id === id);
const indexed = async () => (await rows()).map(({ title }) => title).toSorted();
const heard = async () => (await scene.world.deps.db.select().from(steers)).map(({ body }) => body);
const complaintsOf = (words: string) =>
  scene.world.core.complaints.filter((complaint) => complaint.includes(words));
const polls = async (times = 1) => {
  for (let at = 0; at < times; at += 1) await scene.world.pass(POLL_MS);
};
const health = async (name: string) => {
  const { body } = await callCore(scene.world, 'GET', '/api/v1/observability');
  return (body as Observability).signals.find((signal) => signal.name === name) ?? null;
};
async function addRunner(slots: number) {
  const runner = scriptRunner(scene.world, await scene.world.join(), slots);
  await runner.hello();
  return runner;
}

const empty = (record: ForeignRecord, key: string) => void (record[key] = null);
/** Odd, but for what is said of its state. */
const oddWithState = (record: ForeignRecord) =>
  void Object.assign(record, { labels: null, html_url: 'here' });
const LINEAR: [string, (record: ForeignRecord) => void][] = [
  ['labels that are none', (record) => empty(record, 'labels')],
  ['no state', (record) => empty(record, 'state')],
  ['a time that is none', (record) => void (record['updatedAt'] = 'yesterday')],
  [
    'a label without a name',
    (record) =>
      void (record['labels'] && Object.assign(record['labels'], { nodes: [{ id: 'x' }] })),
  ],
  [
    'a blocker without a state',
    (record) =>
      void (
        record['inverseRelations'] &&
        Object.assign(record['inverseRelations'], {
          nodes: [{ type: 'blocks', issue: { id: 'x', identifier: 'ENG-99', state: null } }],
        })
      ),
  ],
  ['no id', (record) => empty(record, 'id')],
];
const GITHUB: [string, (record: ForeignRecord) => void][] = [
  ['labels that are none', (record) => empty(record, 'labels')],
  ['no state', (record) => empty(record, 'state')],
  ['a time that is none', (record) => void (record['updated_at'] = 'yesterday')],
  ['a label without a name', (record) => void (record['labels'] = [{ id: 1 }])],
  ['an address that is none', (record) => void (record['html_url'] = 'here')],
  ['no number', (record) => empty(record, 'number')],
];

describe.each([
  ['Linear', createUnreadableLinear, LINEAR],
  ['GitHub', createUnreadableGitHub, GITHUB],
] as const)('on %s, an issue that has', (_, create, kinds) => {
  beforeEach(async () => {
    scene = await create();
    await scene.world.tick();
  });

  it.each(kinds)('%s keeps no other from being worked on', async (_kind, change) => {
    scene.spoilIssue('odd', change);
    scene.createIssue('odd');
    scene.createIssue('sound');
    const runner = await addRunner(4);
    await polls(4);
    expect(await indexed()).toEqual(['sound']);
    const offered = runner.offers().map(({ spec }) => spec.issue.title);
    expect(new Set(offered)).toEqual(new Set(['sound']));
    expect(complaintsOf('cannot be read')).toHaveLength(1);
    expect(await health('tracker records')).toMatchObject({ status: 'degraded' });
    scene.mend();
    await scene.world.pass(WHOLE_LOOK_MS);
    expect(await indexed()).toEqual(['odd', 'sound']);
    expect(await health('tracker records')).toBeNull();
  });

  it.each(kinds)('%s is worked on as before, and others too', async (kind, change) => {
    const odd = scene.createIssue('odd');
    const runner = await addRunner(4);
    await polls();
    await runner.accept(runner.offer());
    scene.spoilIssue('odd', change);
    scene.edit(odd.id);
    scene.createIssue('sound');
    await polls(3);
    expect(await row(odd.id)).toMatchObject({ title: 'odd', status: 'running' });
    expect(await indexed()).toEqual(['odd', 'sound']);
    // The lease ends meanwhile: it waits for another one.
    await scene.world.pass(WHOLE_LOOK_MS);
    expect(await row(odd.id)).toMatchObject({ title: 'odd', status: 'queued' });
    // What a list shows without an id, and what is asked for by id, look like two.
    const times = kind === 'no number' || kind === 'no id' ? 2 : 1;
    expect(complaintsOf('cannot be read')).toHaveLength(times);
    expect(await health('tracker')).toMatchObject({ status: 'ok' });
    scene.deleteIssue(odd.id);
    await polls();
    expect(await row(odd.id)).toMatchObject({ status: 'cancelled' });
    await scene.world.pass(WHOLE_LOOK_MS);
    expect(await health('tracker records')).toBeNull();
  });

  it('is named by its identifier and by what is wrong, through a restart', async () => {
    scene.spoilIssue('odd', (record) => empty(record, 'labels'));
    const { identifier } = scene.createIssue('odd');
    await polls();
    const message = expect.stringMatching(new RegExp(`${identifier}.*labels`)) as string;
    expect(await health('tracker records')).toMatchObject({ message });
    expect(complaintsOf('cannot be read')).toEqual([message]);
    await scene.restart();
    await polls(2);
    expect(complaintsOf('cannot be read')).toEqual([]);
    expect(await health('tracker records')).toMatchObject({ message });
  });

  it('is not started until it can be read, and says so on its page', async () => {
    const odd = scene.createIssue('odd');
    await polls();
    scene.spoilIssue('odd', (record) => empty(record, 'labels'));
    scene.edit(odd.id);
    await polls(2);
    const runner = await addRunner(4);
    await polls(2);
    expect(runner.offers()).toEqual([]);
    const { body } = await callCore(scene.world, 'GET', `/api/v1/${odd.identifier}`);
    expect(JSON.stringify(body)).toContain('in a form that cannot be read');
    scene.mend();
    await polls(2);
    expect(runner.offers()).not.toEqual([]);
  });

  it('is ended by a person is not started, and what runs stops', async () => {
    const [waits, runs] = [scene.createIssue('waits'), scene.createIssue('runs')];
    await polls();
    const runner = await addRunner(1);
    await scene.world.tick();
    const offer = runner.offer();
    await runner.accept(offer);
    await polls();
    for (const title of ['waits', 'runs']) scene.spoilIssue(title, oddWithState);
    for (const { id } of [waits, runs]) scene.finish(id);
    await polls(2);
    const states = [await row(waits.id), await row(runs.id)].map((each) => each?.state);
    expect(states).toEqual(['Done', 'Done']);
    const attempt = await scene.world.attempt(offer.attemptId);
    expect(attempt.cancel_requested_at_ms).not.toBeNull();
    expect(runner.offers()).toEqual([]);
  });

  it('is asked for at every poll, and taken up as soon as it can be read', async () => {
    scene.spoilIssue('odd', (record) => empty(record, 'labels'));
    scene.createIssue('odd');
    // Longer than changes are looked back at, and shorter than until everything is looked at.
    await polls(16);
    expect(await health('tracker records')).toMatchObject({ status: 'degraded' });
    scene.mend();
    await polls();
    expect(await indexed()).toEqual(['odd']);
    expect(await health('tracker records')).toBeNull();
    expect(complaintsOf('cannot be read')).toHaveLength(1);
  });

  it('changes its row no more while it stays so', async () => {
    const { id } = scene.createIssue('odd');
    await polls();
    scene.spoilIssue('odd', (record) => empty(record, 'labels'));
    scene.edit(id);
    await polls(2);
    const before = await row(id);
    const facts = await scene.world.deps.db.select().from(factRows);
    await polls(10);
    await scene.world.pass(WHOLE_LOOK_MS);
    await polls(2);
    expect(await row(id)).toEqual(before);
    const kept = (rows: typeof facts) => rows.find(({ name }) => name.includes('unreadable'));
    expect(kept(await scene.world.deps.db.select().from(factRows))).toEqual(kept(facts));
  });

  it('is commented on meanwhile has its comments heard when it can be read', async () => {
    scene.spoilIssue('odd', (record) => empty(record, 'labels'));
    const [odd, sound] = [scene.createIssue('odd'), scene.createIssue('sound')];
    scene.say(odd.id, 'at once');
    await polls();
    scene.say(odd.id, 'to the odd one');
    scene.say(sound.id, 'to the sound one');
    await polls(16);
    expect(await heard()).toEqual(['to the sound one']);
    scene.mend();
    await polls(2);
    const all = ['at once', 'to the odd one', 'to the sound one'];
    expect((await heard()).toSorted()).toEqual(all);
    await polls(2);
    expect((await heard()).toSorted()).toEqual(all);
  });

  it('is named once however many there are, of which health says the number', async () => {
    for (let at = 0; at < 60; at += 1) {
      scene.createIssue(`odd ${at}`);
      scene.spoilIssue(`odd ${at}`, (record) => empty(record, 'labels'));
    }
    await polls(4);
    expect(complaintsOf('cannot be read')).toHaveLength(60);
    expect(new Set(complaintsOf('cannot be read')).size).toBe(60);
    const message = expect.stringContaining('60 issues') as string;
    expect(await health('tracker records')).toMatchObject({ message });
  });

  it('a blocker that cannot be read waits for it', async () => {
    const blocker = scene.createIssue('blocker');
    scene.createIssue('waits', blocker.id);
    scene.spoilIssue('blocker', (record) => empty(record, 'state'));
    // Linear shows the blocker within the issue that waits.
    scene.spoilIssue('waits', (record) => {
      const nested = record['inverseRelations'] as
        | { nodes: { issue: ForeignRecord }[] }
        | undefined;
      for (const { issue } of nested?.nodes ?? []) empty(issue, 'state');
    });
    const runner = await addRunner(4);
    await polls(3);
    expect(runner.offers()).toEqual([]);
    scene.mend();
    scene.finish(blocker.id);
    await scene.world.pass(WHOLE_LOOK_MS);
    await polls();
    const offered = runner.offers().map(({ spec }) => spec.issue.title);
    expect(new Set(offered)).toEqual(new Set(['waits']));
  });
});

describe.each([
  ['Linear', createUnreadableLinear, 'ENG-1'],
  ['GitHub', createUnreadableGitHub, 'SHOP-1'],
] as const)('on %s, a comment that cannot be read', (_, create, identifier) => {
  beforeEach(async () => {
    scene = await create();
    await scene.world.tick();
  });

  it.each([
    ['has no words', (record: ForeignRecord) => void (record['body'] = 7)],
    ['has no id', (record: ForeignRecord) => empty(record, 'id')],
    [
      'has no time',
      (record: ForeignRecord) =>
        void Object.assign(record, { createdAt: 'then', created_at: 'then' }),
    ],
  ])('as it %s silences no other, and is named once', async (_kind, change) => {
    const { id } = scene.createIssue('Talk');
    await polls();
    scene.spoilComment('odd', change);
    for (const words of ['before', 'odd', 'after']) {
      scene.say(id, words);
      scene.world.clock.advance(1_000);
    }
    await polls(6);
    expect((await heard()).toSorted()).toEqual(['after', 'before']);
    expect(complaintsOf('cannot be read')).toHaveLength(1);
    expect(await health('tracker')).toMatchObject({ status: 'ok' });
    expect(await health('tracker comments')).toMatchObject({
      status: 'degraded',
      message: expect.stringContaining(identifier) as string,
    });
    await scene.world.pass(86_400_000);
    expect(await health('tracker comments')).toBeNull();
  });
});

describe('a repository whose comments alone are refused', () => {
  let github: UnreadableGitHub;
  beforeEach(async () => {
    github = await createUnreadableGitHub();
    scene = github;
    await github.world.tick();
  });
  const refuse = (status: number) => {
    const match = /GET \S*\/acme\/docs\/issues\/comments/;
    const trouble = { match, times: Infinity, status, body: '{"message":"No"}' };
    github.fake.makeTrouble(trouble);
    return () => void (trouble.times = 0);
  };

  it.each([403, 404, 410, 500])(
    'with %i is named once, and what is said there later',
    async (status) => {
      const { id } = github.createIssue('Talk');
      Object.assign(github.other, { lastNumber: 1 });
      const [issue] = github.repository.issues;
      if (issue !== undefined)
        github.other.issues.push({ ...issue, number: 1, title: 'Elsewhere' });
      await polls();
      const allow = refuse(status);
      await polls();
      github.say(id, 'here');
      github.say('acme/docs#1', 'there');
      await polls(8);
      expect(await heard()).toEqual(['here']);
      expect(complaintsOf('acme/docs')).toHaveLength(1);
      expect(complaintsOf('poll failed')).toEqual([]);
      expect(await health('tracker')).toMatchObject({ status: 'ok' });
      expect(await health('tracker comments')).toMatchObject({
        status: 'degraded',
        message: expect.stringContaining('acme/docs') as string,
      });
      await github.restart();
      allow();
      await polls();
      expect((await heard()).toSorted()).toEqual(['here', 'there']);
      expect(await health('tracker comments')).toBeNull();
    },
  );
});

describe('a workspace whose comments alone are refused', () => {
  it('is polled on, and says that comments are not heard', async () => {
    const linear = await createUnreadableLinear();
    scene = linear;
    await linear.world.tick();
    for (let at = 0; at < 10; at += 1) {
      const body = refusal('FORBIDDEN', 'not yours to read');
      linear.fake.fail({ kind: 'status', status: 400, body }, 'NewComments');
    }
    linear.createIssue('sound');
    await polls(3);
    expect(await indexed()).toEqual(['sound']);
    expect(complaintsOf('not heard')).toHaveLength(1);
    expect(await health('tracker')).toMatchObject({ status: 'ok' });
    expect(await health('tracker comments')).toMatchObject({ status: 'degraded' });
    const [issue] = await rows();
    linear.say(issue?.id ?? '', 'said meanwhile');
    await polls(2);
    expect(await heard()).toEqual([]);
    await polls(8);
    expect(await heard()).toEqual(['said meanwhile']);
    expect(await health('tracker comments')).toBeNull();
  });
});

describe('trouble of GitHub that is about no single record', () => {
  let github: UnreadableGitHub;
  beforeEach(async () => {
    github = await createUnreadableGitHub({ SERVICE_CONFIG__tracker__assignee: 'me' });
    scene = github;
    await github.world.tick();
  });

  it('fails the poll: who the service is cannot be told', async () => {
    github.fake.makeTrouble({ match: /GET \S*\/user$/, times: 9, status: 502 });
    await github.restart();
    github.createIssue('sound');
    await polls();
    expect(await health('tracker')).toMatchObject({ status: 'down' });
    expect(await health('tracker records')).toBeNull();
  });

  it('fails a look at single issues, so that the delivery is tried again', async () => {
    const { id } = github.createIssue('sound');
    const { deps } = github.world;
    const tracker = deps.trackers.get('github');
    if (tracker === undefined) throw new Error('no tracker');
    github.fake.makeTrouble({ match: /GET \S*\/issues\/1$/, times: 1, status: 502 });
    const host = createIntegrationHost(() => deps);
    await expect(host.syncIssues(tracker, [id])).rejects.toThrow('502');
  });

  it('about one issue alone, for ever, keeps no other from being seen', async () => {
    const blocker = github.createIssue('blocker');
    github.createIssue('odd', blocker.id);
    const match = /dependencies\/blocked_by/;
    github.fake.makeTrouble({ match, times: Infinity, status: 500 });
    await polls(2);
    github.createIssue('sound');
    await polls(12);
    expect(await health('tracker')).toMatchObject({ status: 'ok' });
    expect(await indexed()).toEqual(['blocker', 'sound']);
  });

  it('silences one repository that does not answer, and no other', async () => {
    const { id } = github.createIssue('Talk');
    await polls();
    github.fake.makeTrouble({ match: /acme\/docs\/issues\/comments/, times: 4, cut: true });
    github.say(id, 'here');
    await polls(3);
    expect(await heard()).toEqual(['here']);
    expect(await health('tracker')).toMatchObject({ status: 'ok' });
  });

  it('says nothing of comments on pull requests, which others read', async () => {
    github.createIssue('Talk');
    await polls();
    github.spoilComment('odd', (record) => empty(record, 'created_at'));
    github.say('acme/shop#77', 'odd');
    await polls(2);
    expect(await health('tracker comments')).toBeNull();
  });

  it('writes no second comment beside its own that cannot be read', async () => {
    const { id } = github.createIssue('Talk');
    const tracker = github.world.deps.trackers.get('github');
    await tracker?.upsertComment(id, 'status', 'one');
    github.fake.spoil = (body: object[]) => {
      for (const row of Array.isArray(body) ? body : []) Object.assign(row, { user: {} });
    };
    await expect(tracker?.upsertComment(id, 'status', 'two')).rejects.toThrow('its author');
    expect(github.repository.comments).toHaveLength(1);
  });
});
