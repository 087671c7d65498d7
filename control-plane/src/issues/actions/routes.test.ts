import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CallRoute, createRouteApp } from '../../../../test/support/route-app.ts';
import { createTestDatabase } from '../../../../test/support/test-database.ts';
import { createTestPorts, type TestPorts } from '../../../../test/support/test-ports.ts';
import { createConfigStore } from '../../config/create-config-store.ts';
import { attempts } from '../../db/schema/work/attempts.ts';
import { audit } from '../../db/schema/operation/audit.ts';
import { issues } from '../../db/schema/work/issues.ts';
import { steers } from '../../db/schema/work/requests.ts';
import { templates } from '../../db/schema/admin/templates.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { newIssueRow } from '../../ports/tracker/issue-row.ts';
import { logTransition } from '../rows/log-transition.ts';
import { type Tracker, TrackerError } from '../../ports/tracker/tracker.ts';
import { issueMoveRoutes } from './move-routes.ts';
import { issueOverrideRoutes } from './override-routes.ts';
import { issueActionRoutes } from './routes.ts';
import { issueSteerRoutes } from './steer-routes.ts';
import { issueRoutes } from '../routes.ts';
import { transitionRoutes } from '../transition-routes.ts';
import { NO_TOKEN_USAGE } from '../no-token-usage.ts';

const STATES = ['Todo', 'In Progress', 'Done'];
const ROLES = {
  active: STATES.slice(0, 2),
  terminal: ['Done'],
  started: null,
  review: null,
  blocked: null,
};
const BASE = '/api/v1/SY-1';

describe('choices and words for one issue', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let ports: TestPorts;
  let call: CallRoute;
  let calls: unknown[];
  let sent: unknown[];
  let answer: () => Promise<{ delivered: boolean }>;
  let moved: string[];
  let tracker: Pick<Tracker, 'listStates' | 'transition' | 'stateRoles'>;
  beforeEach(async () => {
    database = await createTestDatabase();
    ports = createTestPorts();
    [calls, sent, moved] = [[], [], []];
    answer = async () => ({ delivered: true });
    tracker = {
      listStates: async () => STATES,
      stateRoles: () => ROLES,
      transition: async (id, to) => {
        moved.push(`${id} ${to}`);
        return { before: 'Todo', state: to, updatedAtMs: null };
      },
    };
    const deps = {
      ...ports,
      db: database.db,
      config: createConfigStore({ db: database.db, variables: {}, baseFile: null }),
      connections: {
        send: (...args: unknown[]) => sent.push(args) > 0,
        call: (...args: unknown[]) => {
          calls.push(args);
          return answer();
        },
      },
      trackers: new Map([['local', tracker]]),
      service: { publicOrigin: null },
      wake: () => undefined,
    } as unknown as Deps;
    call = createRouteApp(ports.logger, [
      ...transitionRoutes(deps),
      ...issueOverrideRoutes(deps),
      ...issueSteerRoutes(deps),
      ...issueMoveRoutes(deps),
      ...issueRoutes(deps),
      ...issueActionRoutes(deps),
    ]);
    await database.db.insert(issues).values(issueRow('SY-1'));
  });
  afterEach(() => database.close());

  const issueRow = (identifier: string) =>
    newIssueRow('local', {
      id: `iss_${identifier}`,
      identifier,
      title: 't',
      description: null,
      priority: null,
      state: 'Todo',
      branchName: null,
      url: null,
      labels: [],
      assigneeId: null,
      blockedBy: [],
      createdAtMs: 1,
      updatedAtMs: 1,
      nativeRef: null,
    });

  const stored = async () => (await database.db.select().from(issues))[0];
  const operations = async () =>
    (await database.db.select().from(audit)).map(({ operation }) => operation);

  async function runningTurn(turnId: string | null = 'turn_1') {
    await database.db.insert(attempts).values({
      attempt_id: 'att_1',
      tracker: 'local',
      issue_id: 'iss_SY-1',
      identifier: 'SY-1',
      issue_state: 'Todo',
      number: 1,
      status: 'running',
      phase: 'streaming',
      epoch: 3,
      runner_id: 'run_1',
      digest: '',
      spec: {} as never,
      tokens: NO_TOKEN_USAGE,
      queued_at_ms: 1,
      started_at_ms: 2,
      turn_id: turnId,
      repository_url: 'file:///r',
    });
    await database.db.update(issues).set({ status: 'running', current_attempt_id: 'att_1' });
  }

  it('keeps a model until it is cleared', async () => {
    const own = { model: 'big', reasoning_effort: 'high' };
    expect(await call('POST', `${BASE}/model`, own)).toMatchObject({
      status: 202,
      body: { ok: true, model: 'big', reasoningEffort: 'high', appliesNextAttempt: true },
    });
    expect(await stored()).toMatchObject({ model: 'big', reasoning_effort: 'high', version: 2 });
    expect(await call('POST', `${BASE}/model`, { model: 'small' })).toMatchObject({
      body: { model: 'small', reasoningEffort: null },
    });
    expect(await call('DELETE', `${BASE}/model`)).toMatchObject({ status: 202 });
    expect(await stored()).toMatchObject({ model: null });
    expect(await operations()).toEqual(['issue.model.set', 'issue.model.set', 'issue.model.clear']);
  });

  it('keeps an engine that the configuration has, and refuses any other', async () => {
    expect(await call('POST', `${BASE}/model`, { engine: 'default' })).toMatchObject({
      status: 202,
      body: { engine: 'default', model: null },
    });
    expect(await stored()).toMatchObject({ engine: 'default', model: null });
    expect(await call('POST', `${BASE}/model`, { engine: 'nobody' })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('no choice of engine is named nobody') },
    });
    expect(await call('DELETE', `${BASE}/model`)).toMatchObject({ body: { engine: null } });
  });

  it.each([
    ['model', {}],
    ['model', { model: null, engine: null }],
    ['model', { model: '' }],
    ['model', { model: 'a\nb' }],
    ['model', { model: 'a', reasoning_effort: 1 }],
    ['model', { model: 'a', extra: 1 }],
    ['template', {}],
    ['template', { template_id: 1 }],
    ['steer', {}],
    ['steer', { message: ' ' }],
    ['steer', { message: 'x'.repeat(20_001) }],
    ['transition', {}],
    ['transition', { to: 'Todo', target_state: 'Done' }],
    ['transition', { to: 1 }],
  ])('refuses what it cannot read: %s %j', async (verb, body) => {
    expect(await call('POST', `${BASE}/${verb}`, body)).toMatchObject({ status: 400 });
  });

  it.each([
    ['model', { model: 'a' }],
    ['template', { template_id: 'default' }],
    ['steer', { message: 'a' }],
    ['transition', { to: 'Done' }],
  ])('does not know an issue that is none: %s', async (verb, body) => {
    expect(await call('POST', `/api/v1/SY-99/${verb}`, body)).toMatchObject({
      status: 404,
      body: { error: 'issue SY-99 not found' },
    });
  });

  it('takes a template that exists', async () => {
    const set = (id: string) => call('POST', `${BASE}/template`, { template_id: id });
    expect(await set('tpl_none')).toMatchObject({
      status: 404,
      body: { error: 'template tpl_none not found' },
    });
    expect(await set('default')).toMatchObject({ status: 202, body: { templateId: 'default' } });
    await database.db.insert(templates).values({
      template_id: 'tpl_1',
      name: 'a',
      name_key: 'a',
      body: 'b',
      created_at_ms: 1,
      updated_at_ms: 1,
    });
    expect(await set('tpl_1')).toMatchObject({ status: 202, body: { appliesNextAttempt: true } });
    expect(await stored()).toMatchObject({ template_id: 'tpl_1' });
    expect(await call('DELETE', `${BASE}/template`)).toMatchObject({ body: { templateId: null } });
  });

  it('says something to a live turn only', async () => {
    const steer = () => call('POST', `${BASE}/steer`, { message: 'faster' });
    expect(await steer()).toMatchObject({ status: 409 });
    await runningTurn(null);
    expect(await steer()).toMatchObject({ status: 409 });
    expect(await database.db.select().from(steers)).toEqual([]);
    await database.db.update(attempts).set({ turn_id: 'turn_1' });
    expect(await steer()).toMatchObject({ status: 202, body: { ok: true, delivered: true } });
    const [row] = await database.db.select().from(steers);
    expect(row).toMatchObject({ attempt_id: 'att_1', body: 'faster', actor: 'local' });
    const params = { attemptId: 'att_1', epoch: 3, messageId: row?.message_id, text: 'faster' };
    expect(calls).toEqual([['run_1', 'turn.steer', params, expect.any(Number)]]);
    await database.db.update(attempts).set({ status: 'completed' });
    expect(await steer()).toMatchObject({ status: 409 });
    expect(await operations()).toEqual(['issue.steer']);
  });

  it('keeps words that the runner has not confirmed, and sends them as a message', async () => {
    await runningTurn();
    answer = () => Promise.reject(new AppError('unavailable', 'the runner is not connected'));
    expect(await call('POST', `${BASE}/steer`, { message: 'faster' })).toMatchObject({
      status: 202,
      body: { ok: true, delivered: false },
    });
    expect(await database.db.select().from(steers)).toMatchObject([{ delivered_at_ms: null }]);
    expect(sent).toMatchObject([['run_1', [{ type: 'steer', attemptId: 'att_1', epoch: 3 }]]]);
  });

  it('moves an issue to a listed state, and logs it', async () => {
    const move = (body: unknown) => call('POST', `${BASE}/transition`, body);
    expect(await move({ to: 'Nowhere' })).toMatchObject({
      status: 422,
      body: { error: expect.stringContaining('In Progress') },
    });
    expect(await move({ target_state: ' done ', reason: 'ready' })).toMatchObject({
      status: 200,
      body: { ok: true, from: 'Todo', to: 'Done' },
    });
    expect(moved).toEqual(['iss_SY-1 Done']);
    expect(await stored()).toMatchObject({ state: 'Done', updated_at_ms: ports.clock.nowMs() });
    expect(await move({ to: 'Done' })).toMatchObject({ status: 200, body: { from: 'Done' } });
    expect(await call('GET', '/api/v1/transitions')).toMatchObject({
      status: 200,
      body: {
        transitions: { 'SY-1': STATES },
        log: [{ identifier: 'SY-1', from: 'Todo', to: 'Done', reason: 'ready', actor: 'local' }],
        total: 1,
        nextCursor: null,
        unavailable: [],
      },
    });
    expect(await operations()).toEqual(['issue.transition']);
  });

  it('answers 502 with the words of a tracker that fails, and changes nothing', async () => {
    tracker.transition = () => Promise.reject(new TrackerError('transport', 'timed out'));
    expect(await call('POST', `${BASE}/transition`, { to: 'Done' })).toMatchObject({
      status: 502,
      body: { error: expect.stringContaining('timed out') },
    });
    expect(await stored()).toMatchObject({ state: 'Todo' });
    expect(await operations()).toEqual([]);
  });

  it('asks a tracker once for all issues of a team, and names one that fails', async () => {
    await database.db.insert(issues).values([issueRow('SY-2'), issueRow('OPS-1')]);
    const asked: string[] = [];
    tracker.listStates = (id) => {
      asked.push(id);
      return id === 'iss_OPS-1'
        ? Promise.reject(new TrackerError('transport', 'timed out'))
        : Promise.resolve(STATES);
    };
    const { body } = await call('GET', '/api/v1/transitions');
    expect(body).toMatchObject({
      transitions: { 'SY-1': STATES, 'SY-2': STATES },
      unavailable: [{ tracker: 'local', reason: 'timed out' }],
    });
    expect(asked).toHaveLength(2);
    expect(await call('GET', '/api/v1/transitions?issue=SY-99')).toMatchObject({ status: 404 });
  });

  it('pages through the log by cursor', async () => {
    const issue = { tracker: 'local', id: 'iss_SY-1', identifier: 'SY-1' };
    for (const to of ['A', 'B', 'C']) {
      const move = { issue, from: 'Todo', to, reason: null, actor: 'local' };
      await database.db.batch([logTransition(database.db, 1, move)]);
    }
    const seen: string[] = [];
    let query = '?limit=2';
    for (let page = 0; page < 2; page += 1) {
      const { body } = await call('GET', `/api/v1/transitions${query}`);
      const { log, nextCursor, total } = body as {
        log: { to: string }[];
        nextCursor: string | null;
        total: number;
      };
      expect(total).toBe(3);
      seen.push(...log.map(({ to }) => to));
      query = `?limit=2&cursor=${nextCursor}`;
    }
    expect(seen).toEqual(['C', 'B', 'A']);
    for (const bad of ['cursor=x', 'cursor=!', 'limit=0', 'limit=501', 'issue=nope'])
      expect(await call('GET', `/api/v1/transitions?${bad}`)).toMatchObject({ status: 400 });
  });

  it('shows phase and start of the live attempt, and neither of an ended one', async () => {
    await runningTurn();
    expect(await call('GET', BASE)).toMatchObject({
      body: { phase: 'streaming', startedAt: '1970-01-01T00:00:00.002Z' },
    });
    await database.db.update(attempts).set({ status: 'failed' }).where(eq(attempts.epoch, 3));
    expect(await call('GET', BASE)).toMatchObject({ body: { phase: null, startedAt: null } });
  });

  it('records a retry of an issue that waits already', async () => {
    await database.db.update(issues).set({ status: 'queued' });
    expect(await call('POST', `${BASE}/retry`)).toMatchObject({ status: 202 });
    expect(await operations()).toEqual(['issue.retry']);
  });
});
