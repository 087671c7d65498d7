import type { Operation } from './operation.ts';
import { ENGINE, LIMITS } from './usual-answers.ts';

const NO_ISSUE = { id: 'NOPE-999999' };
const issueOf = (fixture: { issue: string }) => ({ params: { id: fixture.issue } });

/** State, issues and attempts. */
export const issueOperations: readonly Operation[] = [
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

  {
    method: 'GET',
    path: '/api/v1/{id}/tree',
    expect: [200],
    example: issueOf,
    unknown: NO_ISSUE,
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
  {
    method: 'GET',
    path: '/api/v1/attempts/{aid}/checks',
    expect: [200],
    example: ({ attempt }) => attempt && { params: { aid: attempt.attemptId } },
    unknown: { aid: 'att_unknown' },
  },
  {
    method: 'GET',
    path: '/api/v1/attempts/{aid}/evidence',
    expect: [200],
    example: ({ attempt }) => attempt && { params: { aid: attempt.attemptId } },
    unknown: { aid: 'att_unknown' },
  },
  {
    // Few attempts leave files.
    method: 'GET',
    path: '/api/v1/attempts/{aid}/artifacts/{sha256}',
    expect: [404],
    example: ({ attempt }) =>
      attempt && { params: { aid: attempt.attemptId, sha256: '0'.repeat(64) } },
    unknown: { aid: 'att_unknown', sha256: '0'.repeat(64) },
    badQueries: ['download=yes'],
  },
];
