import type { Operation } from './operation.ts';
import { LIMITS, OFFSETS } from './usual-answers.ts';

/** What an operator sets up: configuration, secrets, templates, workspaces, routes. */
export const setUpOperations: readonly Operation[] = [
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
    method: 'PUT',
    path: '/api/v1/setup/repo-route/{index}',
    expect: [200],
    example: async ({ routeIndex }) => ({
      params: { index: String(await routeIndex()) },
      body: { prefix: 'CONFORMANCE-', url: 'https://git.example/y.git' },
    }),
    unknown: { index: '9999' },
    badBodies: { 'no address': { prefix: 'X-' } },
    last: true,
  },
  {
    method: 'DELETE',
    path: '/api/v1/setup/repo-route/{index}',
    expect: [200],
    example: async ({ routeIndex }) => ({ params: { index: String(await routeIndex()) } }),
    unknown: { index: '9999' },
    last: true,
  },
];
