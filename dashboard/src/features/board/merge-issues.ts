import type { Issue } from '@switchyard/shared/api/work/issue';
import type { State } from '@switchyard/shared/api/work/state';

/** Every issue once, by tracker and id: of the built-in tracker all, of others those in the state. */
export function mergeIssues(local: readonly Issue[], state: State | undefined): Issue[] {
  const merged = new Map<string, Issue>();
  const add = (issue: Issue) => merged.set(`${issue.tracker}\n${issue.id}`, issue);
  local.forEach(add);
  if (state === undefined) return [...merged.values()];
  const lists = [
    state.queued,
    state.running,
    state.retrying,
    state.blocked,
    state.completed,
    state.failed,
  ];
  for (const issue of lists.flat()) {
    const known = merged.get(`${issue.tracker}\n${issue.id}`);
    if (known === undefined || known.updatedAt <= issue.updatedAt) add(issue);
  }
  return [...merged.values()];
}
