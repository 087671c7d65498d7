import { shownRepository } from '@switchyard/shared/text/repository-url';
import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { branchNameFault } from '@switchyard/shared/settings/branch-name-fault';

/** An unusable route, with its position in the list. */
export type RouteFault = {
  index: number;
  field: 'prefix' | 'label' | 'default_branch';
  message: string;
  /** Key that is equal for the same fault at any position. */
  key: string;
};

const HEADS = 'refs/heads/';

/**
 * Routes that are never used because an earlier one has their prefix or label in any case, and
 * those with a branch name that git refuses. New ones cannot be saved; stored ones stay in force
 * and are reported.
 */
export function routeFaults(routes: readonly RepoRoute[]): RouteFault[] {
  const firsts = new Map<string, RepoRoute>();
  return routes.flatMap((route, index) => {
    const found: RouteFault[] = [];
    for (const field of ['prefix', 'label'] as const) {
      const match = route[field];
      if (match === undefined) continue;
      const key = `${field} ${match.trim().toLowerCase()}`;
      const first = firsts.get(key);
      if (first === undefined) firsts.set(key, route);
      else found.push({ index, field, key, message: twiceMessage(field, match, first) });
    }
    const branch = route.default_branch;
    const fault = branch === undefined ? null : branchNameFault(branch);
    if (branch !== undefined && fault !== null) {
      const key = `default_branch ${branch}`;
      found.push({ index, field: 'default_branch', key, message: branchMessage(branch, fault) });
    }
    return found;
  });
}

/** Faults of a list that the former list did not have. */
export function newRouteFaults(
  before: readonly RepoRoute[],
  after: readonly RepoRoute[],
): RouteFault[] {
  const known = routeFaults(before).map(({ key }) => key);
  return routeFaults(after).filter(({ key }) => {
    const at = known.indexOf(key);
    if (at !== -1) known.splice(at, 1);
    return at === -1;
  });
}

/** The configuration path of the faulty field. */
export function faultPath({ index, field }: RouteFault): string {
  return `repos.${index}.${field}`;
}

function twiceMessage(field: string, match: string, first: RepoRoute): string {
  return `${JSON.stringify(match)} leads to ${shownRepository(first.url)} already, so this route would never be used: give it another ${field}, or remove one of the two`;
}

function branchMessage(branch: string, fault: string): string {
  const advice = branch.startsWith(HEADS)
    ? `name the branch as ${branch.slice(HEADS.length)}, without ${HEADS}`
    : "give a branch of the repository, or leave it out for the repository's HEAD";
  return `${JSON.stringify(branch)} cannot be the name of a branch, since it ${fault}: ${advice}`;
}
