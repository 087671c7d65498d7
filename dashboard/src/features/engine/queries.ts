import { queryOptions } from '@tanstack/react-query';
import { answer, api, at } from '../../api/api.ts';
import { pagedQuery, readQuery } from '../../api/read-query.ts';

/** Runner and engine of a request; left out: the least busy runner, the default engine. */
export type RunnerChoice = { runner?: string; engine?: string } | undefined;

/** An engine's answers rarely change, and a request keeps the engine running. */
const SELDOM = { staleTime: 60_000, refetchInterval: false } as const;

const of = (runner: RunnerChoice) => runner ?? {};

const ask = <R>(what: string, runner: RunnerChoice, call: Parameters<typeof readQuery<R>>[1]) =>
  queryOptions({ ...SELDOM, ...readQuery(['engine', what, runner], call) });

export const capabilitiesQuery = (runner: RunnerChoice) =>
  ask('capabilities', runner, (end) => api.engine.capabilities.$get({ query: of(runner) }, end));

export const modesQuery = (runner: RunnerChoice) =>
  ask('modes', runner, (end) => api.engine['collaboration-modes'].$get({ query: of(runner) }, end));

export const accountQuery = (runner: RunnerChoice) =>
  ask('account', runner, (end) => api.engine.account.$get({ query: of(runner) }, end));

export const rateLimitsQuery = (runner: RunnerChoice) =>
  ask('limits', runner, (end) =>
    api.engine.account['rate-limits'].$get({ query: of(runner) }, end),
  );

export const mcpQuery = (runner: RunnerChoice) =>
  ask('mcp', runner, (end) => api.engine.mcp.$get({ query: of(runner) }, end));

export const threadsQuery = (runner: RunnerChoice, { archived }: { archived: boolean }) => ({
  ...pagedQuery(['engine', 'threads', runner, archived], (cursor, end) => {
    const query = { ...of(runner), ...cursor, ...(archived ? { archived: 'true' as const } : {}) };
    return answer(api.engine.threads.$get({ query }, end));
  }),
  ...SELDOM,
});

export const threadQuery = (threadId: string, runner: RunnerChoice) =>
  ask(`thread ${threadId}`, runner, (end) => {
    const query = { ...of(runner), includeTurns: 'true' as const };
    return thread.$get({ param: { threadId: at(threadId) }, query }, end);
  });

const thread = api.engine.threads[':threadId'];
type OfThread = { threadId: string; runner: RunnerChoice };
const input = ({ threadId, runner }: OfThread) => ({
  param: { threadId: at(threadId) },
  query: of(runner),
});

export const forkThread = (given: OfThread) =>
  answer(thread.fork.$post({ ...input(given), json: {} }));
export const nameThread = (given: OfThread & { name: string }) =>
  answer(thread.name.$post({ ...input(given), json: { name: given.name } }));
export const archiveThread = (given: OfThread) => answer(thread.archive.$post(input(given)));
export const unarchiveThread = (given: OfThread) => answer(thread.unarchive.$post(input(given)));

/** Runs one small test turn, which takes up to two minutes. */
export const testEngine = (name: string, json: { runner?: string; choice?: string }) =>
  answer(api.engines[':name'].test.$post({ param: { name: at(name) }, json }));

export const reloadMcp = (runner: RunnerChoice) =>
  answer(api.engine.mcp.reload.$post({ query: of(runner) }));
export const loginToMcp = (name: string, runner: RunnerChoice) =>
  answer(api.engine.mcp.oauth.login.$post({ query: of(runner), json: { name } }));

export const startLogin = (json: { type: string; apiKey?: string }, runner: RunnerChoice) =>
  answer(api.engine.account.login.start.$post({ query: of(runner), json }));
export const cancelLogin = (loginId: string, runner: RunnerChoice) =>
  answer(api.engine.account.login.cancel.$post({ query: of(runner), json: { loginId } }));
export const logOut = (runner: RunnerChoice) =>
  answer(api.engine.account.logout.$post({ query: of(runner) }));
