import type { MiddlewareHandler } from 'hono';
import { MAX_FRAME_BYTES } from '@switchyard/shared/protocol/limits';
import type { RunnerRow } from '../db/schema/runners/runners.ts';
import type { Deps } from '../deps.ts';
import type { HttpEnv } from '../http/bindings.ts';
import { withBody } from '../http/limits/body-limit.ts';
import { createByteBudget } from '../http/limits/byte-budget.ts';
import { SHORT_DRAIN } from '../http/limits/read-body.ts';
import { authenticateRunner } from './admin/authenticate-runner.ts';
import { requireJoinToken } from './admin/join-runner.ts';

declare module 'hono' {
  interface ContextVariableMap {
    /** The authenticated runner of a request behind `onlyRunners`. */
    runner: RunnerRow;
  }
}

const MAX_JOIN_BYTES = 65_536;
/** Bytes of a frame around its messages. */
const ENVELOPE_BYTES = 1_024;
const MESSAGES_TIMEOUT_MS = 20_000;
/** Memory limits for frames and join requests, for all runners and for each. */
const MESSAGES = { totalBytes: 67_108_864, perHolderBytes: 8_388_608 };
const DRAIN = { ...SHORT_DRAIN, maxBytes: 4 * MAX_FRAME_BYTES };

/** Middleware for runner routes: authenticates first and reads the body only after that. */
export function runnerGuards(deps: Pick<Deps, 'db' | 'clock' | 'service'>) {
  const budget = createByteBudget(MESSAGES);
  const shared = { timeoutMs: MESSAGES_TIMEOUT_MS, drain: DRAIN, budget };

  const onlyJoinTokens: MiddlewareHandler<HttpEnv> = async (c, next) => {
    const { token_hash } = await requireJoinToken(deps, c.req.header('authorization'));
    await withBody(c, next, { ...shared, maxBytes: MAX_JOIN_BYTES }, `join ${token_hash}`);
  };
  const onlyRunners: MiddlewareHandler<HttpEnv> = async (c, next) => {
    const runner = await authenticateRunner(deps, c.req.header('authorization'));
    c.set('runner', runner);
    const maxBytes = MAX_FRAME_BYTES + ENVELOPE_BYTES;
    await withBody(c, next, { ...shared, maxBytes }, runner.runner_id);
  };
  return { onlyJoinTokens, onlyRunners };
}
