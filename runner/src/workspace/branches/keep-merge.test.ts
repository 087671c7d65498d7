import { describe, expect, it } from 'vitest';
import { WorkspaceKey, workspaceKey } from '@switchyard/shared/protocol/workspace-key';
import { testSpec } from '../../connection/testing/attempt-spec.ts';
import { usedWorkspaceKey } from './keep-merge.ts';

const merge = { baseBranch: 'main', branch: 'b', expectedCommit: '0', message: 'm' };
const used = (identifier: string) => {
  const issue = { ...testSpec().issue, identifier };
  return usedWorkspaceKey(testSpec({ issue, merge }));
};

describe('the workspace of an attempt', () => {
  it("is the issue's own, but not for the test of a merge", () => {
    expect(usedWorkspaceKey(testSpec({ workspaceKey: 'own' }))).toBe('own');
    expect(used('SY-1')).toMatch(/^SY-1-merge--[0-9a-f]{16}$/);
    expect(used('SY-1')).toBe(used('SY-1'));
  });

  it('has a valid name that no two issues share, however long theirs are', () => {
    const names = ['SY-1', 'SY-1-merge', 'x'.repeat(120), `${'x'.repeat(119)}y`, 'ä'.repeat(300)];
    const keys = names.flatMap((name) => [workspaceKey(name), used(name)]);
    expect(new Set(keys).size).toBe(keys.length);
    for (const key of keys) expect(WorkspaceKey.parse(key)).toBe(key);
  });
});
