import { findState } from './find-state.ts';
import type { StateRoles } from './tracker.ts';

/** What an issue stands for in the course of its work. */
export type StateRole = 'started' | 'review' | 'blocked' | 'done';

/** Name of the state that a role means; null where none is configured. */
export function stateOfRole(roles: StateRoles, role: StateRole): string | null {
  if (role !== 'done') return roles[role];
  return findState(roles.terminal, 'Done') ?? roles.terminal[0] ?? null;
}
