import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answer, api, at, until } from '../../api/api.ts';

/** Whose engine is asked; undefined: the least busy runner's. */
export type RunnerChoice = string | undefined;

/** An answer of an engine stays true for a while, and asking keeps an engine running. */
const SELDOM = { staleTime: 60_000, refetchInterval: false } as const;

const of = (runner: RunnerChoice) => (runner === undefined ? {} : { runner });

export const capabilitiesQuery = (runner: RunnerChoice) =>
  queryOptions({
    ...SELDOM,
    queryKey: ['engine', 'capabilities', runner],
    queryFn: ({ signal }) =>
      answer(api.engine.capabilities.$get({ query: of(runner) }, until(signal))),
  });

export const modesQuery = (runner: RunnerChoice) =>
  queryOptions({
    ...SELDOM,
    queryKey: ['engine', 'modes', runner],
    queryFn: ({ signal }) =>
      answer(api.engine['collaboration-modes'].$get({ query: of(runner) }, until(signal))),
  });

export const accountQuery = (runner: RunnerChoice) =>
  queryOptions({
    ...SELDOM,
    queryKey: ['engine', 'account', runner],
    queryFn: ({ signal }) => answer(api.engine.account.$get({ query: of(runner) }, until(signal))),
  });

export const rateLimitsQuery = (runner: RunnerChoice) =>
  queryOptions({
    ...SELDOM,
    queryKey: ['engine', 'limits', runner],
    queryFn: ({ signal }) =>
      answer(api.engine.account['rate-limits'].$get({ query: of(runner) }, until(signal))),
  });

export const mcpQuery = (runner: RunnerChoice) =>
  queryOptions({
    ...SELDOM,
    queryKey: ['engine', 'mcp', runner],
    queryFn: ({ signal }) => answer(api.engine.mcp.$get({ query: of(runner) }, until(signal))),
  });

export const threadsQuery = (runner: RunnerChoice, archived: boolean) =>
  infiniteQueryOptions({
    ...SELDOM,
    queryKey: ['engine', 'threads', runner, archived],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) => {
      const query = {
        ...of(runner),
        ...(archived ? { archived: 'true' as const } : {}),
        ...(pageParam === '' ? {} : { cursor: pageParam }),
      };
      return answer(api.engine.threads.$get({ query }, until(signal)));
    },
    getNextPageParam: (page) => page.nextCursor ?? null,
  });

export const threadQuery = (threadId: string, runner: RunnerChoice) =>
  queryOptions({
    ...SELDOM,
    queryKey: ['engine', 'thread', threadId],
    queryFn: ({ signal }) => {
      const query = { ...of(runner), includeTurns: 'true' as const };
      const param = { threadId: at(threadId) };
      return answer(api.engine.threads[':threadId'].$get({ param, query }, until(signal)));
    },
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
