import type { Caller } from '../../../control-plane/src/http/caller/caller.ts';
import type { MergeMode } from '@switchyard/shared/merge/merge-policy';
import type { Rules } from './issue-ledger.ts';
import type { Behaviour } from './sim-agent.ts';
import { CHECKS } from './sim-checks.ts';

export const REPOSITORY = 'file:///srv/repositories/shop';
export const PROVIDER = 'http://127.0.0.1:9/v1';

export const RULES: Omit<Rules, 'datesHold' | 'chained'> = {
  maxAttempts: 3,
  retryBaseMs: 5_000,
  maxBackoffMs: 15_000,
  issueTokens: 40_000,
  unattendedRuns: 6,
};

/** The product's configuration in a simulation: short enough that a few minutes hold many ends. */
export const VARIABLES: Record<string, string> = {
  SERVICE_CONFIG__engine__provider__baseUrl: PROVIDER,
  SERVICE_CONFIG__repos: JSON.stringify([
    { prefix: 'SY', url: REPOSITORY, default_branch: 'main' },
  ]),
  SERVICE_CONFIG__agent__maxContinuationAttempts: String(RULES.maxAttempts - 1),
  SERVICE_CONFIG__agent__retryBaseMs: String(RULES.retryBaseMs),
  SERVICE_CONFIG__agent__maxRetryBackoffMs: String(RULES.maxBackoffMs),
  SERVICE_CONFIG__agent__maxTurns: '2',
  SERVICE_CONFIG__agent__stallTimeoutMs: '60000',
  SERVICE_CONFIG__agent__requestTimeoutMs: '25000',
  SERVICE_CONFIG__engine__stallTimeoutMs: '25000',
  SERVICE_CONFIG__agent__budget__issueTokens: String(RULES.issueTokens),
  SERVICE_CONFIG__agent__budget__unattendedRuns: String(RULES.unattendedRuns),
  SERVICE_CONFIG__agent__budget__attemptMinutes: '2',
};

/** The repository declares checks. */
export const CHECK_VARIABLES: Record<string, string> = {
  SERVICE_CONFIG__repos: JSON.stringify([
    { prefix: 'SY', url: REPOSITORY, default_branch: 'main', checks: CHECKS },
  ]),
};

/** Routes of a repository whose pull requests are merged by a policy. */
export function mergeRoutes(mode: MergeMode): Record<string, unknown>[] {
  const route = { prefix: 'SY', url: REPOSITORY, default_branch: 'main', checks: CHECKS };
  return [{ ...route, merge: { mode } }];
}

/** Most agents deliver, and most checks pass before a merge: so there is something to merge. */
export const MERGE_WORLD = {
  behaviours: { done: 120 },
  checks: { pass: 90, mended: 10, failing: 2, flaky: 10, slow: 1, lying: 2 },
} as const;

/** A person approves the plan of every issue. */
export const PLAN_VARIABLES: Record<string, string> = {
  SERVICE_CONFIG__agent__plan__mode: 'ask',
};

/** Short leases: a seed of a few minutes sees many of them end. */
export const LEASE_TTL_MS = 30_000;

/** How often an agent behaves in which way; a scenario may say otherwise. */
export const BEHAVIOURS: Record<Behaviour, number> = {
  done: 30,
  no_marker: 16,
  blocked: 8,
  fail: 12,
  oom: 6,
  crash: 4,
  hang: 5,
  ask: 6,
  long: 8,
  burn: 5,
};

export const PERSON: Caller = {
  actor: 'ada',
  source: 'API',
  requestId: 'req-1',
  path: '/simulated',
};
