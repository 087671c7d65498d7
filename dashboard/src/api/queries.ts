import type { AttemptDetail, AttemptList } from '@switchyard/shared/api/attempt';
import type { Checkpoint } from '@switchyard/shared/api/checkpoint';
import type { Issue, IssueDetail } from '@switchyard/shared/api/issue';
import type { LocalComment } from '@switchyard/shared/api/local-issue';
import type { PullRequest } from '@switchyard/shared/api/pull-request';
import type { RepoRoute } from '@switchyard/shared/api/repo-route';
import type { HumanRequest } from '@switchyard/shared/api/request';
import type { Runner } from '@switchyard/shared/api/runner';
import type { Runtime, State } from '@switchyard/shared/api/state';
import { queryOptions } from '@tanstack/react-query';
import { callApi, callApiText } from './client.ts';

/** The largest page the service gives; a board shows at most this many issues of one tracker. */
const LIST_LIMIT = 500;
/** How many events one page of an attempt's history holds. */
const EVENTS_PAGE = 500;

const at = encodeURIComponent;

export const stateQuery = queryOptions({
  queryKey: ['state'],
  queryFn: ({ signal }) => callApi<State>('/state', { signal }),
});

export const runtimeQuery = queryOptions({
  queryKey: ['runtime'],
  queryFn: ({ signal }) => callApi<Runtime>('/runtime', { signal }),
});

export const localIssuesQuery = queryOptions({
  queryKey: ['local-issues'],
  queryFn: ({ signal }) =>
    callApi<{ issues: Issue[]; total: number }>(`/local/issues?limit=${LIST_LIMIT}`, { signal }),
});

export const issueQuery = (id: string) =>
  queryOptions({
    queryKey: ['issue', id],
    queryFn: ({ signal }) => callApi<IssueDetail>(`/${at(id)}`, { signal }),
  });

export const attemptsQuery = (id: string) =>
  queryOptions({
    queryKey: ['attempts', id],
    queryFn: ({ signal }) => callApi<AttemptList>(`/${at(id)}/attempts`, { signal }),
  });

export const issueDiffQuery = (id: string) =>
  queryOptions({
    queryKey: ['issue-diff', id],
    queryFn: ({ signal }) => callApiText(`/${at(id)}/diff`, { signal }),
  });

export const checkpointsQuery = (attemptId: string) =>
  queryOptions({
    queryKey: ['checkpoints', attemptId],
    queryFn: ({ signal }) =>
      callApi<{ checkpoints: Checkpoint[] }>(`/attempts/${at(attemptId)}/checkpoints`, { signal }),
  });

export const commentsQuery = (id: string) =>
  queryOptions({
    queryKey: ['comments', id],
    queryFn: ({ signal }) =>
      callApi<{ comments: LocalComment[] }>(`/local/issues/${at(id)}/comments`, { signal }),
  });

export const openRequestsQuery = queryOptions({
  queryKey: ['requests', 'asked'],
  queryFn: ({ signal }) =>
    callApi<{ requests: HumanRequest[]; total: number }>('/requests?state=asked', { signal }),
});

export const allRequestsQuery = queryOptions({
  queryKey: ['requests', 'all'],
  queryFn: ({ signal }) =>
    callApi<{ requests: HumanRequest[]; total: number }>('/requests', { signal }),
});

export const runnersQuery = queryOptions({
  queryKey: ['runners'],
  queryFn: ({ signal }) => callApi<{ runners: Runner[]; total: number }>('/runners', { signal }),
});

export const repoRoutesQuery = queryOptions({
  queryKey: ['repo-routes'],
  queryFn: ({ signal }) => callApi<{ routes: RepoRoute[] }>('/setup/repo-routes', { signal }),
});

export const pullRequestsQuery = queryOptions({
  queryKey: ['pull-requests'],
  queryFn: ({ signal }) =>
    callApi<{ pullRequests: PullRequest[]; total: number }>('/local/pull-requests', { signal }),
});

export const pullRequestQuery = (id: string) =>
  queryOptions({
    queryKey: ['pull-request', id],
    queryFn: ({ signal }) => callApi<PullRequest>(`/local/pull-requests/${at(id)}`, { signal }),
  });

export const pullRequestDiffQuery = (id: string) =>
  queryOptions({
    queryKey: ['pull-request-diff', id],
    queryFn: ({ signal }) => callApiText(`/local/pull-requests/${at(id)}/diff`, { signal }),
  });

/** One page of an attempt's events, oldest first, all with a `seq` beyond `after`. */
export function fetchAttemptEvents(
  attemptId: string,
  after: number,
  signal: AbortSignal,
): Promise<AttemptDetail> {
  return callApi(`/attempts/${at(attemptId)}?after=${after}&limit=${EVENTS_PAGE}`, { signal });
}
