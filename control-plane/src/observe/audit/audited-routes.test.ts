import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CoreWorld, createCoreWorld } from '../../../../test/support/core/core-world.ts';
import { openFramePeer } from '../../../../test/support/core/runner-peers.ts';
import {
  WEBHOOK_VARIABLES,
  sendTrackerDelivery,
} from '../../../../test/support/core/signed-deliveries.ts';
import { webhookDeliveries } from '../../db/schema/operation/webhook-deliveries.ts';

type Call = { route: string; path?: string; body?: unknown; headers?: Record<string, string> };

/** In this order: later calls build on earlier ones. */
const CALLS: Call[] = [
  { route: 'POST /api/v1/session', body: { token: 'write-secret' } },
  { route: 'DELETE /api/v1/sessions' },
  { route: 'POST /api/v1/tokens', body: { name: 'ci', scope: 'read' } },
  { route: 'DELETE /api/v1/tokens/:tokenId', path: '/api/v1/tokens/TOKEN' },
  {
    route: 'POST /api/v1/webhooks/trigger',
    body: { action: 're_poll' },
    headers: { 'X-Service-Trigger-Key': 'trigger-key' },
  },
  { route: 'POST /api/v1/webhooks/dead/:number/replay', path: '/api/v1/webhooks/dead/1/replay' },
  { route: 'POST /api/v1/refresh' },
  { route: 'POST /api/v1/local/issues', body: { title: 'One' } },
  { route: 'POST /api/v1/:id/abort', path: '/api/v1/SY-1/abort' },
  { route: 'POST /api/v1/pause', body: { reason: 'maintenance' } },
  { route: 'POST /api/v1/resume' },
  { route: 'POST /api/v1/runners/tokens', body: {} },
  { route: 'POST /api/v1/runners/:rid/drain', path: '/api/v1/runners/RUNNER/drain' },
  { route: 'DELETE /api/v1/runners/:rid', path: '/api/v1/runners/RUNNER' },
  { route: 'PUT /api/v1/config/overlay', body: { agent: { maxTurns: 4 } } },
  {
    route: 'PATCH /api/v1/config/overlay/:path',
    path: '/api/v1/config/overlay/agent.maxTurns',
    body: { value: 5 },
  },
  { route: 'DELETE /api/v1/config/overlay/:path', path: '/api/v1/config/overlay/agent.maxTurns' },
  { route: 'POST /api/v1/secrets/:key', path: '/api/v1/secrets/KEY', body: { value: 'v' } },
  { route: 'DELETE /api/v1/secrets/:key', path: '/api/v1/secrets/KEY' },
  {
    route: 'POST /api/v1/setup/repo-route',
    body: { prefix: 'ZZ', url: 'https://example.com/zz.git' },
  },
  {
    route: 'POST /api/v1/setup/test-issue',
    body: { title: 'Try it' },
  },
  { route: 'POST /api/v1/setup/master-key/confirm', body: {} },
  {
    route: 'PUT /api/v1/setup/repo-route/:index',
    path: '/api/v1/setup/repo-route/0',
    body: { prefix: 'ZY', url: 'https://example.com/zy.git' },
  },
  { route: 'DELETE /api/v1/setup/repo-route/:index', path: '/api/v1/setup/repo-route/0' },
  { route: 'POST /api/v1/templates', body: { name: 'short', body: 'Do {{ issue.title }}.' } },
  {
    route: 'PUT /api/v1/templates/:id',
    path: '/api/v1/templates/TEMPLATE',
    body: { name: 'short', body: 'Do it: {{ issue.title }}.' },
  },
  {
    route: 'PATCH /api/v1/local/issues/:id',
    path: '/api/v1/local/issues/SY-1',
    body: { priority: 1 },
  },
  {
    route: 'POST /api/v1/local/issues/:id/comments',
    path: '/api/v1/local/issues/SY-1/comments',
    body: { body: 'A word' },
  },
  { route: 'POST /api/v1/:id/model', path: '/api/v1/SY-1/model', body: { model: 'm' } },
  { route: 'DELETE /api/v1/:id/model', path: '/api/v1/SY-1/model' },
  {
    route: 'POST /api/v1/:id/template',
    path: '/api/v1/SY-1/template',
    body: { template_id: 'TEMPLATE' },
  },
  { route: 'DELETE /api/v1/:id/template', path: '/api/v1/SY-1/template' },
  { route: 'DELETE /api/v1/templates/:id', path: '/api/v1/templates/TEMPLATE' },
  { route: 'POST /api/v1/:id/retry', path: '/api/v1/SY-1/retry' },
  {
    route: 'POST /api/v1/:id/transition',
    path: '/api/v1/SY-1/transition',
    body: { to: 'In Review' },
  },
  {
    route: 'POST /api/v1/:id/sub-issues',
    path: '/api/v1/SY-1/sub-issues',
    body: { subIssues: [{ title: 'A part' }] },
  },
  { route: 'POST /api/v1/automations/:name/run', path: '/api/v1/automations/look/run' },
];

/** Routes that change nothing a person did, or nothing at all. */
const NOT_AUDITED = new Set([
  // What runners say is in the events of their attempts; joining is audited with the join token.
  'POST /api/v1/runners/join',
  'POST /api/v1/runners/sync',
  'PUT /api/v1/runners/blobs/:attemptId/:epoch/:name',
  // What providers say is in the stored deliveries.
  'POST /webhooks/tracker',
  'POST /webhooks/codehost',
  'POST /api/v1/templates/:id/preview',
  // Looks and answers; secrets that are used for it stand in their access trail.
  'POST /api/v1/setup/check',
  'POST /api/v1/setup/provider/models',
  // Signs nobody in yet: redeeming the code is audited.
  'POST /api/v1/session/codes',
  // Only the browser forgets its cookie.
  'DELETE /api/v1/session',
]);

/** Routes that change something only beside a live attempt, a channel, an engine, an older key, … */
const TESTED_ELSEWHERE = [
  /^POST \/api\/v1\/(engine\/|engines\/:name\/test$)/,
  /^POST \/api\/v1\/master-key\/rotate$/,
  /^POST \/api\/v1\/setup\/(tracker\/|github$|provider$)/,
  /^POST \/api\/v1\/runners\/:rid\/(undrain|sandbox-image)$/,
  /^POST \/api\/v1\/requests\/:requestId\/answer$/,
  /^POST \/api\/v1\/notifications\/(:id\/read|read-all|test)$/,
  /^DELETE \/api\/v1\/workspaces\/:key$/,
  /^POST \/api\/v1\/local\/pull-requests\/:id\/(merge|close)$/,
  /^POST \/api\/v1\/merge-queue\/:id\/(enter|leave)$/,
  /^POST \/api\/v1\/pull-requests\/:id\/review$/,
  /^POST \/api\/v1\/:id\/(publish|deliver|steer)$/,
];

describe('the audit of every mutating route', () => {
  let world: CoreWorld;
  const known: Record<string, string> = {};

  beforeAll(async () => {
    world = await createCoreWorld(openFramePeer, {
      ...WEBHOOK_VARIABLES,
      SERVICE_CONFIG__automations: JSON.stringify([
        { name: 'look', schedule: '0 3 * * *', mode: 'implement', prompt: 'Look around.' },
      ]),
    });
    known['RUNNER'] = (await world.join()).runnerId;
    await sendTrackerDelivery(world, 'dead');
    await world.deps.db.update(webhookDeliveries).set({ status: 'dead' });
  });
  afterAll(() => world.close());

  const filledIn = (text: string) =>
    text.replace(/RUNNER|TOKEN|TEMPLATE/g, (name) => known[name] ?? name);

  async function call(given: Call, requestId: string) {
    const [method = '', declared = ''] = given.route.split(' ');
    const headers: Record<string, string> = {
      'X-Request-ID': requestId,
      'X-Service-Source': 'wizard',
      ...given.headers,
    };
    const init: RequestInit = { method, headers };
    if (given.body !== undefined) {
      headers['Content-Type'] = 'application/json';
      init.body = filledIn(JSON.stringify(given.body));
    }
    const path = filledIn(given.path ?? declared);
    const response = await world.core.app.request(path, init, { remoteAddress: '127.0.0.1' });
    return { status: response.status, text: await response.text() };
  }

  it('knows every route', () => {
    const covered = new Set(CALLS.map(({ route }) => route));
    const routes = world.core.app.routes
      .filter(({ method }) => !['ALL', 'GET', 'HEAD', 'OPTIONS'].includes(method))
      .map(({ method, path }) => `${method} ${path}`);
    const strangers = [...new Set(routes)].filter(
      (route) =>
        !covered.has(route) &&
        !NOT_AUDITED.has(route) &&
        !TESTED_ELSEWHERE.some((pattern) => pattern.test(route)),
    );
    expect(strangers).toEqual([]);
  });

  it.each(CALLS)('has a row of $route', async (given) => {
    await world.tick();
    const requestId = `walk-${given.route.replaceAll(' ', '')}`;
    const answer = await call(given, requestId);
    expect(answer.status, answer.text).toBeLessThan(300);
    if (given.route === 'POST /api/v1/tokens') known['TOKEN'] = JSON.parse(answer.text).tokenId;
    if (given.route === 'POST /api/v1/templates') known['TEMPLATE'] = JSON.parse(answer.text).id;
    const page = await world.core.app.request(
      '/api/v1/audit?limit=1000',
      {},
      { remoteAddress: '127.0.0.1' },
    );
    const { entries } = (await page.json()) as { entries: Record<string, unknown>[] };
    const rows = entries.filter((entry) => entry['requestId'] === requestId);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      expect(row).toMatchObject({
        source: 'wizard',
        path: filledIn(given.path ?? given.route.split(' ')[1] ?? ''),
      });
      expect(row['actor']).not.toBe('anonymous');
    }
  });
});
