import type { LinearScope } from './linear-settings.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Filter for issues in these states, regardless of case; null when no state is given. */
export function inStates(states: readonly string[], scope: LinearScope): object | null {
  const wanted = [...new Set(states.map((state) => state.trim()))].filter((name) => name !== '');
  if (wanted.length === 0) return null;
  const named = wanted.map((name) => ({ state: { name: { eqIgnoreCase: name } } }));
  return { ...inScope(scope), or: named };
}

/** Filter for issues that changed since then, inclusive. */
export function changedSince(sinceMs: number, scope: LinearScope): object {
  return { ...inScope(scope), updatedAt: { gte: new Date(sinceMs).toISOString() } };
}

/** The distinct ids that are valid in Linear. */
export function linearIds(ids: readonly string[]): string[] {
  return [...new Set(ids)].filter((id) => UUID.test(id));
}

/** Filter for the issues that are polled. */
export function inScope({ projectSlug, team }: LinearScope): object {
  return {
    ...(projectSlug ? { project: { slugId: { eq: projectSlug } } } : {}),
    ...(team ? { team: { key: { eqIgnoreCase: team.trim() } } } : {}),
  };
}
