import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CoreWorld, createCoreWorld } from '../../../../test/support/core/core-world.ts';
import { openFramePeer } from '../../../../test/support/core/runner-peers.ts';
import { neededScope, scopeByRule } from './needed-scope.ts';
import { hasOwnAuthorization, isReadMethod } from '../is-api-path.ts';

describe('the scope that a mutation needs', () => {
  let world: CoreWorld;
  beforeAll(async () => {
    world = await createCoreWorld(openFramePeer);
  });
  afterAll(() => world.close());

  it('is given by a rule for every mutating route of the app', () => {
    const paths = world.core.app.routes
      .filter(({ method }) => method !== 'ALL' && !isReadMethod(method))
      .map(({ path }) => path)
      .filter((path) => !hasOwnAuthorization(path));
    expect(paths.length).toBeGreaterThan(20);
    expect(paths.filter((path) => scopeByRule(path) === null)).toEqual([]);
  });

  it.each([
    ['PUT', '/api/v1/config/overlay', 'admin'],
    ['PATCH', '/api/v1/config/overlay/agent.maxTurns', 'admin'],
    ['POST', '/api/v1/secrets/KEY', 'admin'],
    ['POST', '/api/v1/tokens', 'admin'],
    ['DELETE', '/api/v1/tokens/tok_1', 'admin'],
    ['POST', '/api/v1/runners/tokens', 'admin'],
    ['POST', '/api/v1/runners/run_1/drain', 'admin'],
    ['DELETE', '/api/v1/runners/run_1', 'admin'],
    ['POST', '/api/v1/setup/repo-route', 'admin'],
    ['PUT', '/api/v1/templates/x', 'admin'],
    ['POST', '/api/v1/engine/account/logout', 'admin'],
    ['POST', '/api/v1/engine/threads/x/fork', 'operate'],
    ['POST', '/api/v1/engines/x/test', 'operate'],
    ['POST', '/api/v1/SY-1/abort', 'operate'],
    ['POST', '/api/v1/SY-1/steer', 'operate'],
    ['DELETE', '/api/v1/SY-1/template', 'operate'],
    ['POST', '/api/v1/refresh', 'operate'],
    ['POST', '/api/v1/requests/req_1/answer', 'operate'],
    ['POST', '/api/v1/webhooks/dead/1/replay', 'operate'],
    ['POST', '/api/v1/automations/nightly/run', 'operate'],
    ['DELETE', '/api/v1/workspaces/SY-1', 'operate'],
    ['GET', '/api/v1/config', 'read'],
    ['POST', '/api/v1/something/new', 'admin'],
  ])('%s %s needs %s', (method, path, scope) => {
    expect(neededScope(method, path)).toBe(scope);
  });
});
