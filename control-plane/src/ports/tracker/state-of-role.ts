import { findState } from './find-state.ts';
import type { StateRoles } from './tracker.ts';

/** What an issue stands for in the course of its work. */
export const STATE_ROLES = ['started', 'review', 'blocked', 'done'] as const;
export type StateRole = (typeof STATE_ROLES)[number];

/** Name of the state that a role means; null where none is configured. */
export function stateOfRole(roles: StateRoles, role: StateRole): string | null {
  if (role !== 'done') return roles[role];
  return findState(roles.terminal, 'Done') ?? roles.terminal[0] ?? null;
}
