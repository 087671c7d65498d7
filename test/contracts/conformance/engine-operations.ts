import type { Operation } from './operation.ts';
import { ENGINE, LIMITS } from './usual-answers.ts';

const anyThread = () => ({ params: { threadId: '00000000-0000-7000-8000-000000000000' } });

/** The agent engines, and the operator routes of one. */
export const engineOperations: readonly Operation[] = [
  { method: 'GET', path: '/api/v1/engines', expect: [200] },
  {
    method: 'POST',
    path: '/api/v1/engines/{name}/test',
    // A test of an engine that is there would cost tokens.
    expect: [404],
    example: () => ({ params: { name: 'conformance-unknown' }, body: {} }),
    badBodies: { 'a time that is too short': { timeoutMs: 1 } },
  },
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
];
