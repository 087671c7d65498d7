import { queryOptions } from '@tanstack/react-query';
import { answer, answerText, api, at, until } from './api.ts';
import { withOwnUsage } from './own-usage.ts';

/** The largest page the service gives; a board shows at most this many issues of one tracker. */
const LIST_LIMIT = '500';

export const stateQuery = queryOptions({
  queryKey: ['state'],
  queryFn: ({ signal }) => answer(api.state.$get({}, until(signal))),
});

export const runtimeQuery = queryOptions({
  queryKey: ['runtime'],
  queryFn: ({ signal }) => answer(api.runtime.$get({}, until(signal))),
});

export const observabilityQuery = queryOptions({
  queryKey: ['observability'],
  queryFn: ({ signal }) => answer(api.observability.$get({}, until(signal))),
});

export const localIssuesQuery = queryOptions({
  queryKey: ['local-issues'],
  queryFn: ({ signal }) =>
    answer(api.local.issues.$get({ query: { limit: LIST_LIMIT } }, until(signal))),
});

export const transitionsQuery = queryOptions({
  queryKey: ['transitions'],
  queryFn: ({ signal }) => answer(api.transitions.$get({ query: { limit: '1' } }, until(signal))),
});

export const issueQuery = (id: string) =>
  queryOptions({
    queryKey: ['issue', id],
    queryFn: ({ signal }) => answer(api[':id'].$get({ param: { id: at(id) } }, until(signal))),
    select: withOwnUsage,
  });

export const attemptsQuery = (id: string) =>
  queryOptions({
    queryKey: ['attempts', id],
    queryFn: ({ signal }) =>
      answer(api[':id'].attempts.$get({ param: { id: at(id) } }, until(signal))),
  });

export const issueDiffQuery = (id: string) =>
  queryOptions({
    queryKey: ['issue-diff', id],
    queryFn: ({ signal }) =>
      answerText(api[':id'].diff.$get({ param: { id: at(id) } }, until(signal))),
  });

/** The issue's newest pull request with its checks; an answer of 404 says that there is none. */
export const issuePullRequestQuery = (id: string) =>
  queryOptions({
    queryKey: ['issue-pull-request', id],
    queryFn: ({ signal }) =>
      answer(api[':id']['pull-request'].$get({ param: { id: at(id) } }, until(signal))),
  });

export const checkpointsQuery = (attemptId: string) =>
  queryOptions({
    queryKey: ['checkpoints', attemptId],
    queryFn: ({ signal }) =>
      answer(
        api.attempts[':aid'].checkpoints.$get({ param: { aid: at(attemptId) } }, until(signal)),
      ),
  });

export const commentsQuery = (id: string) =>
  queryOptions({
    queryKey: ['comments', id],
    queryFn: ({ signal }) =>
      answer(
        api.local.issues[':id'].comments.$get({ param: { id: at(id) }, query: {} }, until(signal)),
      ),
  });

export const openRequestsQuery = queryOptions({
  queryKey: ['requests', 'asked'],
  queryFn: ({ signal }) => answer(api.requests.$get({ query: { state: 'asked' } }, until(signal))),
});

export const allRequestsQuery = queryOptions({
  queryKey: ['requests', 'all'],
  queryFn: ({ signal }) => answer(api.requests.$get({ query: {} }, until(signal))),
});

export const runnersQuery = queryOptions({
  queryKey: ['runners'],
  queryFn: ({ signal }) => answer(api.runners.$get({ query: {} }, until(signal))),
});

export const repoRoutesQuery = queryOptions({
  queryKey: ['repo-routes'],
  queryFn: ({ signal }) => answer(api.setup['repo-routes'].$get({}, until(signal))),
});

export const pullRequestsQuery = queryOptions({
  queryKey: ['pull-requests'],
  queryFn: ({ signal }) => answer(api.local['pull-requests'].$get({ query: {} }, until(signal))),
});

export const pullRequestQuery = (id: string) =>
  queryOptions({
    queryKey: ['pull-request', id],
    queryFn: ({ signal }) =>
      answer(api.local['pull-requests'][':id'].$get({ param: { id: at(id) } }, until(signal))),
  });

export const pullRequestDiffQuery = (id: string) =>
  queryOptions({
    queryKey: ['pull-request-diff', id],
    queryFn: ({ signal }) =>
      answerText(
        api.local['pull-requests'][':id'].diff.$get({ param: { id: at(id) } }, until(signal)),
      ),
  });

export const templatesQuery = queryOptions({
  queryKey: ['templates'],
  queryFn: ({ signal }) => answer(api.templates.$get({ query: {} }, until(signal))),
});

export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => answer(api.models.$get({ query: {} }, until(signal))),
});

/** One page of an attempt's events, oldest first, all with a `seq` beyond `after`. */
export function fetchAttemptEvents(attemptId: string, after: number, signal: AbortSignal) {
  const query = { after: String(after), limit: LIST_LIMIT };
  return answer(api.attempts[':aid'].$get({ param: { aid: at(attemptId) }, query }, until(signal)));
}

/** What was used on each of the last days. */
export const usageQuery = (days: number) =>
  queryOptions({
    queryKey: ['usage', days],
    queryFn: ({ signal }) =>
      answer(api.usage.$get({ query: { days: String(days) } }, until(signal))),
  });
