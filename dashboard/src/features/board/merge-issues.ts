import type { Issue } from '@switchyard/shared/api/work/issue';
import type { State } from '@switchyard/shared/api/work/state';
import type { Pending } from '../../ui/overlays/run-undoable.ts';

/**
 * Every issue once, by tracker and id: all of the built-in tracker (`local`), those in the lists of
 * the service's `state`, and those of the viewed list.
 */
export function mergeIssues(
  local: readonly Issue[],
  state: State | undefined,
  listed: readonly Issue[] = [],
): Issue[] {
  const merged = new Map<string, Issue>();
  const add = (issue: Issue) => merged.set(keyOf(issue), issue);
  const addNewer = (issue: Issue) => {
    const known = merged.get(keyOf(issue));
    if (known === undefined || known.updatedAt <= issue.updatedAt) add(issue);
  };
  local.forEach(add);
  for (const issue of listed) addNewer(issue);
  if (state === undefined) return [...merged.values()];
  const lists = [
    state.queued,
    state.running,
    state.retrying,
    state.blocked,
    state.completed,
    state.failed,
  ];
  lists.flat().forEach(addNewer);
  return [...merged.values()];
}

export function keyOf({ tracker, id }: Issue): string {
  return `${tracker}\n${id}`;
}

/** Issues in the state that they will have after the pending moves, which can still be undone. */
export function withPending(issues: readonly Issue[], pending: readonly Pending[]): Issue[] {
  const states = new Map(
    pending.flatMap(({ about, to }) => (to === undefined ? [] : about.map((one) => [one, to]))),
  );
  return issues.map((issue) => {
    const state = states.get(issue.identifier);
    return state === undefined ? issue : { ...issue, state };
  });
}
