import type { Issue } from '@switchyard/shared/api/issue';
import type { State } from '@switchyard/shared/api/state';
import type { QueryClient } from '@tanstack/react-query';

const LISTS = ['queued', 'running', 'retrying', 'blocked', 'completed', 'failed'] as const;

/**
 * Shows an issue in another state of its tracker before the service has said so. Returns what puts
 * everything back as it was.
 */
export function showMoved(client: QueryClient, identifier: string, to: string): () => void {
  const before = client
    .getQueriesData({ predicate: ({ queryKey }) => CACHES.has(String(queryKey[0])) })
    .filter(([, data]) => data !== undefined);
  const moved = (issue: Issue): Issue =>
    issue.identifier === identifier ? { ...issue, state: to } : issue;
  client.setQueryData<{ issues: Issue[] }>(['local-issues'], (list) =>
    list === undefined ? list : { ...list, issues: list.issues.map(moved) },
  );
  client.setQueryData<State>(['state'], (state) => {
    if (state === undefined) return state;
    const lists = LISTS.map((name) => [name, state[name].map(moved)] as const);
    return { ...state, ...Object.fromEntries(lists) };
  });
  return () => {
    for (const [key, data] of before) client.setQueryData(key, data);
  };
}

const CACHES = new Set(['local-issues', 'state']);
