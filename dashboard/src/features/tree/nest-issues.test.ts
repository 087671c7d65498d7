import type { TreeIssue } from '@switchyard/shared/api/issue-tree';
import { describe, expect, it } from 'vitest';
import { nestIssues, openBlockers, type TreeNode } from './nest-issues.ts';

const issue = (identifier: string, parent: string | null, part: Partial<TreeIssue> = {}) => ({
  ...({
    title: identifier,
    state: 'Todo',
    terminal: false,
    status: 'idle',
    reason: null,
    reasonCode: null,
    depth: 0,
    blockedBy: [],
    pullRequestUrl: null,
    tokens: 0,
    costUsd: null,
    unpricedTokens: 0,
  } satisfies Omit<TreeIssue, 'identifier' | 'parent'>),
  identifier,
  parent,
  ...part,
});

type Shape = [string, ...Shape[]];
const shapeOf = ({ issue: { identifier }, children }: TreeNode): Shape => [
  identifier,
  ...children.map(shapeOf),
];

describe('a tree from its list', () => {
  it('has each issue below its parent, in the order of the list', () => {
    const list = [
      issue('SY-1', null),
      issue('SY-2', 'SY-1'),
      issue('SY-4', 'SY-2'),
      issue('SY-3', 'SY-1'),
    ];
    expect(nestIssues(list).map(shapeOf)).toEqual([['SY-1', ['SY-2', ['SY-4']], ['SY-3']]]);
    expect(nestIssues([])).toEqual([]);
  });

  it('loses none whose parent is missing, or stands in a circle', () => {
    const list = [issue('SY-2', 'SY-9'), issue('SY-3', 'SY-4'), issue('SY-4', 'SY-3')];
    expect(nestIssues(list).map(shapeOf)).toEqual([['SY-2'], ['SY-3', ['SY-4']]]);
  });
});

describe('what an issue of a tree waits for', () => {
  const by = (...identifiers: string[]) =>
    identifiers.map((identifier) => ({ id: identifier, identifier, state: 'In Progress' }));

  it('is what has not ended, with the state of what stands elsewhere', () => {
    const waiting = issue('SY-4', 'SY-1', { blockedBy: by('SY-2', 'SY-3', 'SY-9') });
    const list = [issue('SY-2', 'SY-1', { terminal: true }), issue('SY-3', 'SY-1'), waiting];
    expect(openBlockers(waiting, list, new Set(['Done']))).toEqual([
      { identifier: 'SY-3', state: null },
      { identifier: 'SY-9', state: 'In Progress' },
    ]);
    expect(openBlockers(waiting, list, new Set(['In Progress']))).toEqual([
      { identifier: 'SY-3', state: null },
    ]);
    expect(openBlockers({ ...waiting, terminal: true }, list, new Set())).toEqual([]);
  });
});
