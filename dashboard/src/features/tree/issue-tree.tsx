import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import type { IssueTree as Tree, TreeIssue } from '@switchyard/shared/api/issue-tree';
import { sumCosts } from '@switchyard/shared/usage/cost-text';
import { useQuery } from '@tanstack/react-query';
import { type ComponentChildren, Fragment } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { LOCAL_ENDED_STATES } from '../../api/local-states.ts';
import { formatCount } from '../../format/format-count.ts';
import { subIssueProgress } from '../../format/sub-issue-progress.ts';
import { LoadError, Skeleton } from '../../ui/data/query-view.tsx';
import { Badge } from '../../ui/marks/badge.tsx';
import { Cost } from '../../ui/marks/cost.tsx';
import { IssueLink } from '../../ui/marks/issue-link.tsx';
import { IssuePullRequestLink } from '../../ui/marks/pull-request-link.tsx';
import { StatusMark } from '../../ui/marks/status-mark.tsx';
import { nestIssues, type OpenBlocker, openBlockers, type TreeNode } from './nest-issues.ts';
import { treeQuery } from './queries.ts';
import './issue-tree.css';

const NONE: ReadonlySet<string> = new Set();

/** The tree that an issue belongs to; nothing for an issue without parent and sub-issues. */
export function IssueTree({ issue }: { issue: IssueDetail }) {
  // An older instance, which responds until a newer one takes over, has no such fields.
  const isPart = issue.parent != null;
  const isInTree = isPart || (issue.subIssues ?? []).length > 0;
  const query = useQuery({ ...treeQuery(issue.identifier), enabled: isInTree });
  if (!isInTree) return null;
  const { data: tree, error } = query;
  const title = isPart ? 'Issue tree' : 'Sub-issues';
  return (
    <section class="panel issue-tree" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <Progress parts={partsOf(issue, tree)} />
        {tree !== undefined && <Spent issues={tree.issues} />}
      </header>
      {tree !== undefined ? (
        <Issues
          tree={tree}
          current={issue.identifier}
          ended={issue.tracker === 'local' ? LOCAL_ENDED_STATES : NONE}
        />
      ) : error === null ? (
        <Skeleton lines={3} label={`Loading ${title}`} />
      ) : (
        <LoadError error={error} onRetry={() => void query.refetch()} />
      )}
    </section>
  );
}

/** The issue's own sub-issues; the tree, which every event renews, knows them best. */
function partsOf(issue: IssueDetail, tree: Tree | undefined): readonly { terminal: boolean }[] {
  if (tree === undefined || tree.more) return issue.subIssues ?? [];
  return tree.issues.filter(({ parent }) => parent === issue.identifier);
}

function Progress({ parts }: { parts: readonly { terminal: boolean }[] }) {
  const progress = subIssueProgress(parts);
  if (progress === null) return null;
  return (
    <>
      <span class="quiet" role="status">
        {progress.text}
      </span>
      <progress max={progress.total} value={progress.ended} aria-hidden="true" />
    </>
  );
}

/** What all issues of the tree have cost; nothing before the first of them was worked on. */
function Spent({ issues }: { issues: readonly TreeIssue[] }) {
  const tokens = issues.reduce((sum, issue) => sum + issue.tokens, 0);
  if (tokens === 0) return null;
  const cost = sumCosts(issues);
  return (
    <span class="quiet issue-tree-spent">
      {formatCount(tokens)} tokens in all
      {(cost.costUsd !== null || cost.unpricedTokens > 0) && (
        <>
          {' '}
          · <Cost of={cost} />
        </>
      )}
    </span>
  );
}

type IssuesProps = {
  tree: Tree;
  current: string;
  /** The tracker's states without work left, as far as they are known here. */
  ended: ReadonlySet<string>;
};

function Issues({ tree, current, ended }: IssuesProps) {
  const list = useRef<HTMLDivElement>(null);
  // Of a long list, the part with the present issue is shown; the page itself does not move.
  useLayoutEffect(() => {
    const row = list.current?.querySelector<HTMLElement>('.current');
    if (!list.current || !row) return;
    const below = row.offsetTop + row.offsetHeight - list.current.clientHeight;
    list.current.scrollTop = Math.max(0, below);
  }, [current]);
  const row = (issue: TreeIssue) => (
    <Row
      issue={issue}
      blockers={openBlockers(issue, tree.issues, ended)}
      isCurrent={issue.identifier === current}
    />
  );
  return (
    <div class="issue-tree-list" ref={list}>
      <Nodes nodes={nestIssues(tree.issues)} row={row} />
      {tree.more && <p class="quiet">The tree has more issues than are listed here.</p>}
    </div>
  );
}

type NodesProps = {
  nodes: readonly TreeNode[];
  row: (issue: TreeIssue) => ComponentChildren;
  label?: string;
};

/** Nested lists, which screen readers announce with their level and length. */
function Nodes({ nodes, row, label }: NodesProps) {
  return (
    <ul role="list" {...(label !== undefined && { 'aria-label': label })}>
      {nodes.map(({ issue, children }) => (
        <li key={issue.identifier}>
          {row(issue)}
          {children.length > 0 && (
            <Nodes nodes={children} row={row} label={`Sub-issues of ${issue.identifier}`} />
          )}
        </li>
      ))}
    </ul>
  );
}

type RowProps = { issue: TreeIssue; blockers: readonly OpenBlocker[]; isCurrent: boolean };

function Row({ issue, blockers, isCurrent }: RowProps) {
  return (
    <div class={isCurrent ? 'issue-tree-row current' : 'issue-tree-row'}>
      {issue.terminal && issue.status === 'idle' ? (
        // No agent ended it, so that it has only the state of its tracker.
        <Badge icon="check">Ended</Badge>
      ) : (
        <StatusMark status={issue.status} />
      )}
      <span class="tag">{issue.state}</span>
      <span class="issue-tree-name">
        <IssueLink identifier={issue.identifier} title={issue.title} />
        <IssuePullRequestLink issue={issue} />
      </span>
      {blockers.length > 0 && (
        <p class="quiet">
          waits for{' '}
          {blockers.map(({ identifier, state }, position) => (
            <Fragment key={identifier}>
              {position > 0 && ', '}
              <IssueLink identifier={identifier} />
              {state !== null && ` (${state})`}
            </Fragment>
          ))}
        </p>
      )}
    </div>
  );
}
