import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import {
  EngineAccount,
  EngineDone,
  EngineLogin,
  EngineLoginCancelled,
  EngineRateLimits,
  StartEngineLogin,
} from '@switchyard/shared/api/engine';
import { EngineId } from '@switchyard/shared/protocol/engine-operations';
import { callerOf } from '../../http/caller/caller.ts';
import { errorResponses } from '../../http/error-responses.ts';
import { jsonContent } from '../../json-content.ts';
import { type AccountDeps, logOut, readAccount, startLogin } from './account.ts';
import { askEngine } from './ask-engine.ts';
import { changeEngine } from './change-engine.ts';
import { ENGINE_ERRORS, RunnerQuery } from './route-parts.ts';

const CancelLogin = z.strictObject({ loginId: EngineId }).meta({ id: 'CancelLogin' });

/** Who the agent engine works for. */
export function engineAccountRoutes(deps: AccountDeps) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/engine/account',
        summary: 'The current account',
        request: { query: RunnerQuery },
        responses: {
          200: jsonContent('The account', EngineAccount),
          ...errorResponses(...ENGINE_ERRORS),
        },
      }),
      handler: async (c) => c.json(await readAccount(deps, c.req.valid('query')), 200),
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/engine/account/rate-limits',
        summary: 'Rate limits of the account',
        request: { query: RunnerQuery },
        responses: {
          200: jsonContent('Limits', EngineRateLimits),
          ...errorResponses(...ENGINE_ERRORS),
        },
      }),
      handler: async (c) => {
        const { runner } = c.req.valid('query');
        const operation = { op: 'account.limits' } as const;
        return c.json(await askEngine(deps, EngineRateLimits, { operation, runner }), 200);
      },
    }),
    ...loginRoutes(deps),
  ] as const;
}

function loginRoutes(deps: AccountDeps) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/engine/account/login/start',
        summary: 'Begin a login; a key is kept as a secret and never answered',
        request: {
          query: RunnerQuery,
          body: { required: true, ...jsonContent('How to sign in', StartEngineLogin) },
        },
        responses: {
          200: jsonContent('How it goes on', EngineLogin),
          ...errorResponses(...ENGINE_ERRORS, 403, 409, 413, 415),
        },
      }),
      handler: async (c) => {
        const { runner } = c.req.valid('query');
        const input = { ...c.req.valid('json'), runner, caller: callerOf(c) };
        return c.json(await startLogin(deps, input), 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/engine/account/login/cancel',
        summary: 'Cancel a login that a person has not completed',
        request: {
          query: RunnerQuery,
          body: { required: true, ...jsonContent('Which login', CancelLogin) },
        },
        responses: {
          200: jsonContent('What became of it', EngineLoginCancelled),
          ...errorResponses(...ENGINE_ERRORS, 403, 413, 415),
        },
      }),
      handler: async (c) => {
        const { runner } = c.req.valid('query');
        const operation = { op: 'account.cancel_login', ...c.req.valid('json') } as const;
        const input = { operation, runner, caller: callerOf(c) };
        return c.json(await changeEngine(deps, EngineLoginCancelled, input), 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/engine/account/logout',
        summary: 'Sign out and forget the key of a login',
        request: { query: RunnerQuery },
        responses: {
          200: jsonContent('Done', EngineDone),
          ...errorResponses(...ENGINE_ERRORS, 403),
        },
      }),
      handler: async (c) => {
        const { runner } = c.req.valid('query');
        return c.json(await logOut(deps, { runner, caller: callerOf(c) }), 200);
      },
    }),
  ] as const;
}
