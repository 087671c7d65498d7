import { describe, expect, it } from 'vitest';
import { localStateRoles } from './local-state-roles.ts';

describe('localStateRoles', () => {
  it('has the built-in roles by default', () => {
    expect(localStateRoles({ roles: () => ({}) })).toEqual({
      active: ['Todo', 'In Progress'],
      terminal: ['Done', 'Canceled'],
      started: 'In Progress',
      review: 'In Review',
      blocked: null,
    });
  });

  it('takes a configuration in any spelling, drops what is no state, and lets a role be off', () => {
    const roles = () => ({
      active: ['todo ', 'Ready', 'TODO'],
      started: null,
      review: 'Ready',
      blocked: ' backlog',
    });
    expect(localStateRoles({ roles })).toMatchObject({
      active: ['Todo'],
      terminal: ['Done', 'Canceled'],
      started: null,
      review: null,
      blocked: 'Backlog',
    });
  });
});
