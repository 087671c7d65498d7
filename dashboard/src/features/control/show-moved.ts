import type { Issue } from '@switchyard/shared/api/work/issue';
import type { State } from '@switchyard/shared/api/work/state';
import type { QueryClient } from '@tanstack/react-query';

const LISTS = ['queued', 'running', 'retrying', 'blocked', 'completed', 'failed'] as const;

/**
 * Shows an issue in another state of its tracker, before the service has confirmed a move or after
 * it was refused. An issue that is in neither state is left alone: newer data has arrived.
 */
export function showMoved(client: QueryClient, identifier: string, from: string, to: string): void {
  const moved = (issue: Issue): Issue =>
    issue.identifier === identifier && issue.state === from ? { ...issue, state: to } : issue;
  client.setQueryData<{ issues: Issue[] }>(['local-issues'], (list) =>
    list === undefined ? list : { ...list, issues: list.issues.map(moved) },
  );
  client.setQueryData<State>(['state'], (state) => {
    if (state === undefined) return state;
    const lists = LISTS.map((name) => [name, state[name].map(moved)] as const);
    return { ...state, ...Object.fromEntries(lists) };
  });
}
