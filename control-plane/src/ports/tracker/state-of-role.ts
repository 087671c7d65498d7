import { findState } from './find-state.ts';
import type { StateRoles } from './tracker.ts';

/** Roles of tracker states in the course of work. */
export const STATE_ROLES = ['started', 'review', 'blocked', 'done'] as const;
export type StateRole = (typeof STATE_ROLES)[number];

/** Name of the state with a role; null where none is configured. */
export function stateOfRole(roles: StateRoles, role: StateRole): string | null {
  if (role !== 'done') return roles[role];
  return findState(roles.terminal, 'Done') ?? roles.terminal[0] ?? null;
}
