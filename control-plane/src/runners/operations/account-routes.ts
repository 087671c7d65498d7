import {
  EngineAccount,
  EngineDone,
  EngineLogin,
  EngineLoginCancelled,
  EngineRateLimits,
  StartEngineLogin,
} from '@switchyard/shared/api/engine';
import { EngineId } from '@switchyard/shared/protocol/engine-operations';
import type { z } from 'zod';
import { type AccountDeps, logOut, startLogin } from './account.ts';
import type { EngineQuestion } from './ask-engine.ts';
import { ENGINE_REFUSALS, type passThrough } from './pass-through.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { EngineQuery } from './runner-query.ts';
import { strictNamedObject } from '@switchyard/shared/named-object';

const CancelLogin = strictNamedObject('CancelLogin', { loginId: EngineId }, 'Which login');

export type AccountRouteDeps = AccountDeps & {
  /** Creates a route that passes an operation on to an engine. */
  pass: ReturnType<typeof passThrough>;
  readAccount: (
    question: Omit<EngineQuestion, 'operation'>,
  ) => Promise<z.infer<typeof EngineAccount>>;
};

/** Routes for the provider account of the agent engine. */
export function engineAccountRoutes(deps: AccountRouteDeps) {
  const { pass } = deps;
  return [
    endpoint({
      at: 'GET /api/v1/engine/account',
      summary: 'The current account',
      query: EngineQuery,
      answer: json(200, 'The account', EngineAccount),
      refusals: ENGINE_REFUSALS,
      handler: ({ query }) => deps.readAccount(query),
    }),
    pass({
      at: 'GET /api/v1/engine/account/rate-limits',
      summary: 'Rate limits of the account',
      answer: ['Limits', EngineRateLimits],
      operation: () => ({ op: 'account.limits' }),
    }),
    endpoint({
      at: 'POST /api/v1/engine/account/login/start',
      summary: 'Begin a login; a key is kept as a secret and never answered',
      query: EngineQuery,
      body: StartEngineLogin,
      answer: json(200, 'How it goes on', EngineLogin),
      refusals: { ...ENGINE_REFUSALS, 409: 'The key cannot be kept' },
      handler: ({ query, body, caller }) => startLogin(deps, { ...body, ...query, caller }),
    }),
    pass({
      at: 'POST /api/v1/engine/account/login/cancel',
      summary: 'Cancel a login that a person has not completed',
      body: CancelLogin,
      answer: ['What became of it', EngineLoginCancelled],
      operation: ({ body }) => ({ op: 'account.cancel_login', ...body }),
    }),
    endpoint({
      at: 'POST /api/v1/engine/account/logout',
      summary: 'Sign out and forget the key of a login',
      query: EngineQuery,
      answer: json(200, 'Done', EngineDone),
      refusals: ENGINE_REFUSALS,
      handler: ({ query, caller }) => logOut(deps, { ...query, caller }),
    }),
  ] as const;
}
