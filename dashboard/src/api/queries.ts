import { useQuery } from '@tanstack/react-query';
import type { Reader } from '@switchyard/shared/reasons/act-of-person';
import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import { withId, answer, answerText, api, at, until } from './api.ts';
import { offsetQuery, readQuery, readTextQuery } from './read-query.ts';

/** The largest page of the service; a board shows at most this many issues per tracker. */
const LIST_LIMIT = '500';
/** Prefix of the data line in an event stream. */
const DATA = 'data: ';

export const stateQuery = readQuery(['state'], (end) => api.state.$get({}, end));

/** Read again after signing in or out, since another tab may have signed in somebody else. */
const sessionQuery = {
  ...readQuery(['session'], (end) => api.session.$get({}, end)),
  staleTime: Infinity,
  refetchInterval: false as const,
  refetchOnWindowFocus: 'always' as const,
};

/**
 * The person who reads this page, by the name in the audit log: that person's actions are "by you".
 */
export function useReader(): Reader {
  return useQuery(sessionQuery).data?.actor ?? null;
}

export const runtimeQuery = readQuery(['runtime'], (end) => api.runtime.$get({}, end));

export const observabilityQuery = readQuery(['observability'], (end) =>
  api.observability.$get({}, end),
);

export const localIssuesQuery = readQuery(['local-issues'], (end) =>
  api.local.issues.$get({ query: { limit: LIST_LIMIT, description: 'excerpt' } }, end),
);

export const transitionsQuery = readQuery(['transitions'], (end) =>
  api.transitions.$get({ query: { limit: '1' } }, end),
);

export const issueQuery = (id: string) =>
  readQuery(['issue', id], (end) => api[':id'].$get(withId(id), end));

export const attemptsQuery = (id: string) =>
  readQuery(['attempts', id], (end) => api[':id'].attempts.$get(withId(id), end));

export const issueDiffQuery = (id: string) =>
  readTextQuery(['issue-diff', id], (end) => api[':id'].diff.$get(withId(id), end));

/** The issue's newest pull request with its checks; a 404 means that there is none. */
export const issuePullRequestQuery = (id: string) =>
  readQuery(['issue-pull-request', id], (end) => api[':id']['pull-request'].$get(withId(id), end));

export const checkpointsQuery = (attemptId: string) =>
  readQuery(['checkpoints', attemptId], (end) =>
    api.attempts[':aid'].checkpoints.$get({ param: { aid: at(attemptId) } }, end),
  );

export const commentsQuery = (id: string) =>
  readQuery(['comments', id], (end) =>
    api.local.issues[':id'].comments.$get({ ...withId(id), query: {} }, end),
  );

export const openRequestsQuery = readQuery(['requests', 'asked'], (end) =>
  api.requests.$get({ query: { state: 'asked', limit: LIST_LIMIT } }, end),
);

export const allRequestsQuery = readQuery(['requests', 'all'], (end) =>
  api.requests.$get({ query: {} }, end),
);

export const runnersQuery = readQuery(['runners'], (end) =>
  api.runners.$get({ query: { limit: LIST_LIMIT } }, end),
);

export const repoRoutesQuery = readQuery(['repo-routes'], (end) =>
  api.setup['repo-routes'].$get({}, end),
);

export const pullRequestsQuery = readQuery(['pull-requests'], (end) =>
  api.local['pull-requests'].$get({ query: {} }, end),
);

export const pullRequestQuery = (id: string) =>
  readQuery(['pull-request', id], (end) => api.local['pull-requests'][':id'].$get(withId(id), end));

export const pullRequestDiffQuery = (id: string) =>
  readTextQuery(['pull-request-diff', id], (end) =>
    api.local['pull-requests'][':id'].diff.$get(withId(id), end),
  );

/** Number of unread notifications; the request fetches only one of them. */
export const unreadQuery = readQuery(['notifications', 'count'], (end) =>
  api.notifications.$get({ query: { unread: 'true', limit: '1' } }, end),
);

export const templatesQuery = readQuery(['templates'], (end) =>
  api.templates.$get({ query: {} }, end),
);

export const enginesQuery = readQuery(['engines'], (end) => api.engines.$get({}, end));

export const modelsQuery = readQuery(['models'], (end) => api.models.$get({ query: {} }, end));

/** One page of an attempt's events, oldest first, all with a `seq` above `after`. */
export function fetchAttemptEvents(attemptId: string, after: number, signal: AbortSignal) {
  const query = { after: String(after), limit: LIST_LIMIT };
  return answer(api.attempts[':aid'].$get({ param: { aid: at(attemptId) }, query }, until(signal)));
}

/** The stored events after a position, oldest first. */
export async function fetchStoredEvents(
  query: { after?: string; last?: string; types: string },
  signal: AbortSignal,
): Promise<StreamEvent[]> {
  const call = api.events.$get({ query: { ...query, follow: 'false' }, header: {} }, until(signal));
  const lines = (await answerText(call)).split('\n');
  const data = lines.filter((line) => line.startsWith(DATA)).map((line) => line.slice(DATA.length));
  return data.map((json) => JSON.parse(json) as StreamEvent);
}

/** Usage on each of the last days. */
export const usageQuery = (days: number) =>
  readQuery(['usage', days], (end) => api.usage.$get({ query: { days: String(days) } }, end));

/** Pull requests of the built-in code host with one status, newest first, page by page. */
export const pullRequestListQuery = (status: PullRequest['status']) =>
  offsetQuery(
    ['pull-requests', status],
    (offset, end) =>
      answer(api.local['pull-requests'].$get({ query: { status, limit: '100', offset } }, end)),
    (page) => page.pullRequests,
  );
