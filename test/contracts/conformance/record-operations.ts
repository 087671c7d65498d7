import type { Operation } from './operation.ts';
import { LIMITS, OFFSETS } from './usual-answers.ts';

const NO_PULL_REQUEST = { id: 'pr_unknown' };

/** What happened and who is told, and what comes in from outside. */
export const recordOperations: readonly Operation[] = [
  // Search
  {
    method: 'GET',
    path: '/api/v1/search',
    expect: [200],
    example: () => ({ query: 'q=issue' }),
    badQueries: ['q=', 'q=a&limit=0', 'q=a&limit=101', `q=${'a'.repeat(201)}`],
  },
  // Merge queue
  { method: 'GET', path: '/api/v1/merge-queue', expect: [200] },
  { method: 'GET', path: '/api/v1/merge-queue/{id}', expect: [404], unknown: NO_PULL_REQUEST },
  {
    method: 'POST',
    path: '/api/v1/merge-queue/{id}/enter',
    expect: [404],
    unknown: NO_PULL_REQUEST,
  },
  {
    method: 'POST',
    path: '/api/v1/merge-queue/{id}/leave',
    expect: [404],
    unknown: NO_PULL_REQUEST,
  },
  // Reviews
  {
    method: 'GET',
    path: '/api/v1/pull-requests/{id}/reviews',
    expect: [404],
    unknown: NO_PULL_REQUEST,
  },
  {
    method: 'POST',
    path: '/api/v1/pull-requests/{id}/review',
    expect: [404],
    unknown: NO_PULL_REQUEST,
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
    takesLongBodies: true,
  },
  {
    method: 'POST',
    path: '/api/v1/webhooks/trigger',
    expect: [401, 503],
    example: () => ({ body: { action: 're_poll' }, headers: { 'X-Service-Trigger-Key': 'wrong' } }),
    openBody: true,
  },
];
