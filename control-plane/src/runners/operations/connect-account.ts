import type { Deps } from '../../deps.ts';
import { forgetLoginKey, keepLoginKey, readAccount } from './account.ts';
import type { AccountRouteDeps } from './account-routes.ts';
import { changeEngine } from './change-engine.ts';
import { passThrough } from './pass-through.ts';

/** Binds what the account of an agent engine works with. */
export function connectAccount(deps: Deps): AccountRouteDeps {
  return {
    pass: passThrough(deps),
    readAccount: (question) => readAccount(deps, question),
    changeEngine: (schema, question) => changeEngine(deps, schema, question),
    keepLoginKey: (key) => keepLoginKey(deps, key),
    forgetLoginKey: (caller) => forgetLoginKey(deps, caller),
  };
}
