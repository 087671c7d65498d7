import type { IssueTree, TreeIssue } from '@switchyard/shared/api/issue-tree';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { Deps } from '../../deps.ts';
import { isOneOf } from '../../ports/tracker/find-state.ts';
import { issueRecord } from '../issue-record.ts';
import { requireIssue } from '../queries.ts';
import { issuesOfTree } from './queries.ts';

/** Issues of a tree that are shown. */
const MAX_SHOWN = 200;

/** The whole tree that an issue belongs to, each issue followed by its parts. */
export async function issueTree(
  deps: Pick<Deps, 'db' | 'service' | 'trackers'>,
  input: { identifier: string },
): Promise<IssueTree> {
  const issue = await requireIssue(deps.db, input.identifier);
  const placed = await issuesOfTree(deps.db, issue, MAX_SHOWN + 1);
  const shown = placed.toSorted((a, b) => a.depth - b.depth).slice(0, MAX_SHOWN);
  const byId = new Map(shown.map((one) => [one.issue.id, one.issue]));
  const roles = deps.trackers.get(issue.tracker)?.stateRoles();
  const issues: TreeIssue[] = [];
  // A tracker may show a cycle for a moment, so that each issue is listed once.
  const listed = new Set<string>();
  const list = (row: IssueRow, parent: string | null, depth: number): void => {
    if (listed.has(row.id)) return;
    listed.add(row.id);
    const record = issueRecord(row, deps.service.publicOrigin);
    issues.push({
      identifier: record.identifier,
      title: record.title,
      state: record.state,
      terminal: roles !== undefined && isOneOf(row.state, roles.terminal),
      status: record.status,
      reason: record.reason,
      reasonCode: record.reasonCode,
      parent,
      depth,
      blockedBy: record.blockedBy,
      pullRequestUrl: record.pullRequestUrl,
      tokens: record.tokens.total,
      costUsd: record.costUsd,
      unpricedTokens: record.unpricedTokens,
    });
    for (const { id } of row.sub_issues) {
      const part = byId.get(id);
      if (part !== undefined) list(part, row.identifier, depth + 1);
    }
  };
  const top = shown.find(({ depth }) => depth === 0)?.issue ?? issue;
  list(top, null, 0);
  return { issues, more: placed.length > shown.length };
}
