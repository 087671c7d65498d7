import type { Operation } from './operation.ts';

const LIMITS = ['limit=0', 'limit=-1', 'limit=x', 'limit=1.5', 'limit=100000'];
const OFFSETS = ['offset=-1', 'offset=x'];
const NO_ISSUE = { id: 'NOPE-999999' };
/** An agent engine may be absent, refuse, or be too old: each has its status. */
const ENGINE = [200, 404, 501, 502, 503];

const issueOf = (fixture: { issue: string }) => ({ params: { id: fixture.issue } });
const anyThread = () => ({ params: { threadId: '00000000-0000-7000-8000-000000000000' } });

/** Every operation of the interface's tables, in their order. */
export const operations: readonly Operation[] = [
  // State and metrics
  { method: 'GET', path: '/api/v1/state', expect: [200] },
  { method: 'GET', path: '/api/v1/runtime', expect: [200] },
  { method: 'GET', path: '/api/v1/observability', expect: [200] },
  { method: 'GET', path: '/api/v1/recovery', expect: [200] },
  { method: 'POST', path: '/api/v1/refresh', expect: [202] },
  { method: 'GET', path: '/api/v1/transitions', expect: [200], badQueries: LIMITS },
  { method: 'GET', path: '/metrics', expect: [200] },
  { method: 'GET', path: '/api/v1/models', expect: ENGINE },

  // Issue management
  { method: 'GET', path: '/api/v1/{id}', expect: [200], example: issueOf, unknown: NO_ISSUE },
  {
    method: 'POST',
    path: '/api/v1/{id}/abort',
    expect: [409],
    example: issueOf,
    unknown: NO_ISSUE,
  },
  {
    method: 'POST',
    path: '/api/v1/{id}/model',
    expect: [202],
    example: (fixture) => ({
      ...issueOf(fixture),
      body: { model: 'conformance-model', reasoning_effort: 'low' },
    }),
    unknown: NO_ISSUE,
    badBodies: {
      'no model': {},
      'a model that is no text': { model: 7 },
      'an empty model': { model: '' },
      'an effort that is no text': { model: 'm', reasoning_effort: 7 },
    },
  },
  {
    method: 'POST',
    path: '/api/v1/{id}/steer',
    expect: [409],
    example: (fixture) => ({ ...issueOf(fixture), body: { message: 'hello' } }),
    unknown: NO_ISSUE,
    badBodies: { 'no message': {}, 'a message that is no text': { message: [] } },
  },
  {
    method: 'POST',
    path: '/api/v1/{id}/template',
    expect: [202],
    example: (fixture) => ({ ...issueOf(fixture), body: { template_id: fixture.templateId } }),
    unknown: NO_ISSUE,
    badBodies: { 'no template': {}, 'a template that is no text': { template_id: 1 } },
  },
  {
    method: 'DELETE',
    path: '/api/v1/{id}/template',
    expect: [202],
    example: issueOf,
    unknown: NO_ISSUE,
  },
  {
    method: 'POST',
    path: '/api/v1/{id}/transition',
    expect: [200],
    example: (fixture) => ({
      ...issueOf(fixture),
      body: { to: 'Canceled', reason: 'the conformance run is over' },
    }),
    unknown: NO_ISSUE,
    badBodies: { 'no state': {}, 'a state that is no text': { to: 3 } },
  },

  // Attempts
  {
    method: 'GET',
    path: '/api/v1/{id}/attempts',
    expect: [200],
    example: issueOf,
    unknown: NO_ISSUE,
  },
  {
    method: 'GET',
    path: '/api/v1/attempts/{aid}',
    expect: [200],
    example: ({ attempt }) => attempt && { params: { aid: attempt.attemptId } },
    unknown: { aid: 'att_unknown' },
  },
  {
    method: 'GET',
    path: '/api/v1/attempts/{aid}/checkpoints',
    expect: [200],
    example: ({ attempt }) => attempt && { params: { aid: attempt.attemptId } },
    unknown: { aid: 'att_unknown' },
  },

  // Configuration
  { method: 'GET', path: '/api/v1/config', expect: [200] },
  { method: 'GET', path: '/api/v1/config/schema', expect: [200] },
  { method: 'GET', path: '/api/v1/config/overlay', expect: [200] },
  {
    method: 'PUT',
    path: '/api/v1/config/overlay',
    expect: [200],
    example: ({ overlay }) => ({ body: overlay }),
    badBodies: {
      'an unknown key': { conformance_unknown_key: 1 },
      'a value of the wrong type': { 'agent.maxTurns': 'many' },
      'a name that would reach the prototype': { constructor: { prototype: 1 } },
    },
  },
  {
    method: 'PATCH',
    path: '/api/v1/config/overlay/{path}',
    expect: [200],
    example: () => ({ params: { path: 'hooks.timeoutMs' }, body: { value: 61_000 } }),
    badBodies: { 'no value': {}, 'a value of the wrong type': { value: 'soon' } },
  },
  {
    method: 'DELETE',
    path: '/api/v1/config/overlay/{path}',
    expect: [200],
    example: () => ({ params: { path: 'hooks.timeoutMs' } }),
    unknown: { path: 'hooks.timeoutMs' },
    last: true,
  },

  // Secrets
  { method: 'GET', path: '/api/v1/secrets', expect: [200] },
  {
    method: 'POST',
    path: '/api/v1/secrets/{key}',
    expect: [204],
    example: ({ secretKey }) => ({ params: { key: secretKey }, body: { value: 'not a secret' } }),
    badBodies: { 'no value': {}, 'a value that is no text': { value: 1 } },
  },
  {
    method: 'DELETE',
    path: '/api/v1/secrets/{key}',
    expect: [204],
    example: ({ secretKey }) => ({ params: { key: secretKey } }),
    unknown: { key: 'CONFORMANCE_UNKNOWN' },
    last: true,
  },

  // Templates
  { method: 'GET', path: '/api/v1/templates', expect: [200], badQueries: [...LIMITS, ...OFFSETS] },
  {
    method: 'GET',
    path: '/api/v1/templates/{id}',
    expect: [200],
    example: ({ templateId }) => ({ params: { id: templateId } }),
    unknown: { id: 'tpl_unknown' },
  },
  {
    method: 'POST',
    path: '/api/v1/templates',
    expect: [201],
    example: ({ mark }) => ({ body: { name: `${mark} two`, body: 'Do {{ issue.title }}' } }),
    badBodies: {
      'no body': { name: 'x' },
      'no name': { body: 'x' },
      'a name that is no text': { name: 1, body: 'x' },
      'a syntax error': { name: 'conformance broken', body: '{% if %}' },
    },
  },
  {
    method: 'PUT',
    path: '/api/v1/templates/{id}',
    expect: [200],
    example: ({ templateId, mark }) => ({
      params: { id: templateId },
      body: { name: mark, body: 'Do {{ issue.title }} now' },
    }),
    unknown: { id: 'tpl_unknown' },
    badBodies: { 'a body that is no text': { name: 'x', body: 1 } },
  },
  {
    method: 'POST',
    path: '/api/v1/templates/{id}/preview',
    expect: [200],
    example: ({ templateId }) => ({
      params: { id: templateId },
      body: { variables: { issue: { title: 'this' } } },
    }),
    unknown: { id: 'tpl_unknown' },
    badBodies: { 'variables that are no object': { variables: 'x' } },
  },
  {
    method: 'DELETE',
    path: '/api/v1/templates/{id}',
    expect: [204],
    example: ({ templateId }) => ({ params: { id: templateId } }),
    unknown: { id: 'tpl_unknown' },
    last: true,
  },

  // Workspaces and git
  { method: 'GET', path: '/api/v1/workspaces', expect: [200], badQueries: [...LIMITS, ...OFFSETS] },
  {
    method: 'DELETE',
    path: '/api/v1/workspaces/{key}',
    expect: [404],
    example: () => ({ params: { key: 'conformance-unknown' } }),
    unknown: { key: 'conformance-unknown' },
  },
  { method: 'GET', path: '/api/v1/git/context', expect: [200] },

  // Repository routing
  { method: 'GET', path: '/api/v1/setup/repo-routes', expect: [200] },
  {
    method: 'POST',
    path: '/api/v1/setup/repo-route',
    expect: [201],
    example: () => ({
      body: { prefix: 'CONFORMANCE-', url: 'https://git.example/x.git', default_branch: 'main' },
    }),
    badBodies: {
      'no address': { prefix: 'X-' },
      'neither prefix nor label': { url: 'https://git.example/x.git' },
      'another scheme': { prefix: 'X-', url: 'ext::sh -c id' },
      'an option for an address': { prefix: 'X-', url: '--upload-pack=id' },
    },
  },
  {
    method: 'DELETE',
    path: '/api/v1/setup/repo-route/{index}',
    expect: [200],
    example: async ({ routeIndex }) => ({ params: { index: String(await routeIndex()) } }),
    unknown: { index: '9999' },
    last: true,
  },

  // Audit, notifications, automations, alerts
  {
    method: 'GET',
    path: '/api/v1/audit',
    expect: [200],
    badQueries: ['limit=0', 'limit=x', 'limit=1001', ...OFFSETS],
  },
  { method: 'GET', path: '/api/v1/notifications', expect: [200], badQueries: LIMITS },
  {
    method: 'POST',
    path: '/api/v1/notifications/{id}/read',
    expect: [200],
    example: ({ notificationId }) =>
      notificationId === null ? null : { params: { id: notificationId } },
    unknown: { id: '999999999' },
  },
  { method: 'POST', path: '/api/v1/notifications/read-all', expect: [200] },
  { method: 'POST', path: '/api/v1/notifications/test', expect: [200, 502, 503] },
  { method: 'GET', path: '/api/v1/automations', expect: [200] },
  { method: 'GET', path: '/api/v1/automations/runs', expect: [200], badQueries: LIMITS },
  {
    method: 'POST',
    path: '/api/v1/automations/{name}/run',
    expect: [404],
    example: () => ({ params: { name: 'conformance-unknown' } }),
    unknown: { name: 'conformance-unknown' },
  },
  { method: 'GET', path: '/api/v1/alerts/history', expect: [200], badQueries: LIMITS },

  // Webhooks
  {
    method: 'POST',
    path: '/webhooks/tracker',
    expect: [401, 503],
    example: () => ({ body: { action: 'update' } }),
    openBody: true,
  },
  {
    method: 'POST',
    path: '/webhooks/codehost',
    expect: [401, 503],
    example: () => ({ body: { action: 'opened' } }),
    openBody: true,
  },
  {
    method: 'POST',
    path: '/api/v1/webhooks/trigger',
    expect: [401, 503],
    example: () => ({ body: { action: 're_poll' }, headers: { 'X-Service-Trigger-Key': 'wrong' } }),
    openBody: true,
  },

  // Agent-engine operator routes
  { method: 'GET', path: '/api/v1/engine/capabilities', expect: ENGINE },
  { method: 'GET', path: '/api/v1/engine/features', expect: ENGINE, badQueries: LIMITS },
  { method: 'GET', path: '/api/v1/engine/collaboration-modes', expect: ENGINE },
  { method: 'GET', path: '/api/v1/engine/mcp', expect: ENGINE, badQueries: LIMITS },
  {
    method: 'POST',
    path: '/api/v1/engine/mcp/oauth/login',
    expect: ENGINE,
    example: () => ({ body: { name: 'conformance-unknown' } }),
    badBodies: { 'no name': {}, 'a name that is no text': { name: 1 } },
  },
  { method: 'POST', path: '/api/v1/engine/mcp/reload', expect: ENGINE },
  { method: 'GET', path: '/api/v1/engine/threads', expect: ENGINE, badQueries: LIMITS },
  { method: 'GET', path: '/api/v1/engine/threads/loaded', expect: ENGINE },
  {
    method: 'GET',
    path: '/api/v1/engine/threads/{threadId}',
    expect: ENGINE,
    example: anyThread,
    badQueries: ['includeTurns=perhaps'],
  },
  {
    method: 'POST',
    path: '/api/v1/engine/threads/{threadId}/fork',
    expect: ENGINE,
    example: () => ({ ...anyThread(), body: {} }),
    badBodies: { 'a turn that is no text': { lastTurnId: 1 } },
  },
  {
    method: 'POST',
    path: '/api/v1/engine/threads/{threadId}/name',
    expect: ENGINE,
    example: () => ({ ...anyThread(), body: { name: 'conformance' } }),
    badBodies: { 'no name': {}, 'a name that is no text': { name: 1 } },
  },
  {
    method: 'POST',
    path: '/api/v1/engine/threads/{threadId}/archive',
    expect: ENGINE,
    example: anyThread,
  },
  {
    method: 'POST',
    path: '/api/v1/engine/threads/{threadId}/unarchive',
    expect: ENGINE,
    example: anyThread,
  },
  {
    method: 'POST',
    path: '/api/v1/engine/threads/{threadId}/unsubscribe',
    expect: ENGINE,
    example: anyThread,
  },
  { method: 'GET', path: '/api/v1/engine/account', expect: ENGINE },
  { method: 'GET', path: '/api/v1/engine/account/rate-limits', expect: ENGINE },
  {
    method: 'POST',
    path: '/api/v1/engine/account/login/start',
    // A good login would change the deployment; a refused one shows that it is there.
    expect: [400, 503],
    example: () => ({ body: { type: 'conformance-unknown' } }),
    badBodies: { 'no type': {} },
  },
  {
    method: 'POST',
    path: '/api/v1/engine/account/login/cancel',
    expect: ENGINE,
    example: () => ({ body: { loginId: '00000000-0000-7000-8000-000000000000' } }),
    badBodies: { 'no login': {} },
  },
  {
    method: 'POST',
    path: '/api/v1/engine/account/logout',
    expect: ENGINE,
    // It would end the deployment's session with its provider.
    example: () => null,
  },
  { method: 'GET', path: '/api/v1/engine/requests/user-input', expect: [200, 503] },
  {
    method: 'POST',
    path: '/api/v1/engine/requests/user-input/{requestId}/respond',
    // Without a runner there is nobody whose request it could be.
    expect: [404, 503],
    example: () => ({ params: { requestId: 'req_unknown' }, body: { result: { answers: {} } } }),
    badBodies: { 'no result': {} },
  },

  // Docs and spec
  { method: 'GET', path: '/api/v1/openapi.json', expect: [200], badQueries: ['version=2.0'] },
  { method: 'GET', path: '/api/docs', expect: [200] },
];
