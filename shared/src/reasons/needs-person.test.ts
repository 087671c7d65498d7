import { describe, expect, it } from 'vitest';
import { codeOfFailure } from './code-of-failure.ts';
import {
  BLOCKS_START,
  NEEDS_PERSON,
  startBlockedBy,
  WORKSPACE_TROUBLES,
  type WorkspaceTrouble,
} from './needs-person.ts';
import { REASON_CATALOGUE } from './reason-catalogue.ts';

/** What each trouble does to an attempt that has not begun, and to a push. */
const EXPECTED: Record<WorkspaceTrouble, { start: string | null; push: 'again' | 'blocked' }> = {
  repository_refused: { start: 'repository_refused', push: 'blocked' },
  repository_missing: { start: 'repository_unusable', push: 'blocked' },
  base_missing: { start: 'base_missing', push: 'blocked' },
  branch_refused: { start: 'branch_refused', push: 'blocked' },
  workspace_escape: { start: 'workspace_foreign', push: 'blocked' },
  workspace_foreign: { start: 'workspace_foreign', push: 'blocked' },
  workspace_unusable: { start: null, push: 'again' },
  git_failed: { start: null, push: 'again' },
  host_unreachable: { start: null, push: 'again' },
  host_auth_failed: { start: null, push: 'blocked' },
  hook_failed: { start: null, push: 'again' },
  hook_timeout: { start: null, push: 'again' },
  push_rejected: { start: null, push: 'again' },
  push_refused: { start: null, push: 'blocked' },
  snapshot_too_large: { start: null, push: 'again' },
  snapshot_refused: { start: null, push: 'again' },
  limit_exceeded: { start: null, push: 'again' },
  merge_conflict: { start: null, push: 'blocked' },
};
const codes = Object.keys(WORKSPACE_TROUBLES) as WorkspaceTrouble[];

describe('a trouble of a runner with a repository or a workspace', () => {
  it.each(codes)('takes one try where only a person can end it: %s', (code) => {
    const start = startBlockedBy(code);
    const push = NEEDS_PERSON.has(code) ? 'blocked' : 'again';
    expect({ start, push }).toEqual(EXPECTED[code]);
  });

  it.each([...BLOCKS_START])('is told as a reason that waits for a person: %s', (reason) => {
    expect(codeOfFailure('workspace_error', 'provider', reason)).toBe(reason);
    expect(REASON_CATALOGUE[reason]).toMatchObject({ person: 'parked', hasDetail: true });
  });
});
