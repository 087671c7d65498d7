import type { TreeIssue } from '@switchyard/shared/api/issue-tree';

/** An issue of a tree with its sub-issues. */
export type TreeNode = { issue: TreeIssue; children: TreeNode[] };

/**
 * The listed issues as a tree. One whose parent is not listed stands at the top, so that nothing of
 * the list is lost.
 */
export function nestIssues(issues: readonly TreeIssue[]): TreeNode[] {
  const nodes = new Map(
    issues.map((issue) => [issue.identifier, { issue, children: [] as TreeNode[] }]),
  );
  const top: TreeNode[] = [];
  // A parent stands before its parts, so none of them can be above itself.
  const before = new Set<string>();
  for (const node of nodes.values()) {
    const { identifier, parent } = node.issue;
    const above = parent !== null && before.has(parent) ? nodes.get(parent) : undefined;
    (above?.children ?? top).push(node);
    before.add(identifier);
  }
  return top;
}

/** What an issue of a tree still waits for: `state` is null where the tree has the blocker. */
export type OpenBlocker = { identifier: string; state: string | null };

/**
 * The blockers of an issue that are not known to have ended: the tree knows that of its own issues,
 * and of others only their states, of which `ended` are those without work left.
 */
export function openBlockers(
  issue: TreeIssue,
  issues: readonly TreeIssue[],
  ended: ReadonlySet<string>,
): OpenBlocker[] {
  if (issue.terminal) return [];
  return issue.blockedBy.flatMap(({ identifier, state }) => {
    const known = issues.find((one) => one.identifier === identifier);
    if (known === undefined) return ended.has(state ?? '') ? [] : [{ identifier, state }];
    return known.terminal ? [] : [{ identifier, state: null }];
  });
}
