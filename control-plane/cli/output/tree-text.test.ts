import type { TreeIssue } from '@switchyard/shared/api/issue-tree';
import { expect, it } from 'vitest';
import { treeText } from './tree-text.ts';

const issue = (identifier: string, depth: number, more: Partial<TreeIssue> = {}): TreeIssue => ({
  identifier,
  title: 'Work',
  state: 'Todo',
  terminal: false,
  status: 'idle',
  reason: null,
  reasonCode: null,
  parent: null,
  depth,
  blockedBy: [],
  pullRequestUrl: null,
  tokens: 0,
  costUsd: null,
  unpricedTokens: 0,
  ...more,
});

it('indents each issue below the one that it is a part of, without control characters', () => {
  const issues = [
    issue('SY-1', 0),
    issue('SY-2', 1, { state: 'Done', terminal: true }),
    issue('SY-3', 2, { title: 'a\u001b[31mb' }),
  ];
  const text = treeText({ issues, more: false });
  expect(text).toMatch(/^tree of 3 issues, 1 ended:\n/);
  expect(text).toMatch(/^SY-1 .*\n {2}SY-2 +Done .*\n {4}SY-3 /m);
  expect(text).not.toContain('\u001b');
  expect(treeText({ issues, more: true })).toContain('tree of 3 or more issues');
});
