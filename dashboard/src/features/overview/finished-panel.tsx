import type { State } from '@switchyard/shared/api/work/state';
import { formatCount } from '../../format/format-count.ts';
import { Ago } from '../../ui/marks/ago.tsx';
import { IssuePullRequestLink } from '../../ui/marks/pull-request-link.tsx';
import { StatusMark, TrialMark } from '../../ui/marks/status-mark.tsx';
import { IssueLink } from '../../ui/marks/issue-link.tsx';

const SHOWN = 8;

/** Recently finished work with links to its results. */
export function FinishedPanel({ state }: { state: State }) {
  const cancelled = state.failed.filter((issue) => issue.status === 'cancelled');
  const finished = [...state.completed, ...cancelled]
    .toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt))
    .slice(0, SHOWN);
  return (
    <section class="panel overview-panel" aria-labelledby="finished">
      <h2 id="finished">Recently finished</h2>
      {finished.length === 0 ? (
        <p class="all-clear">Your first pull request will appear here.</p>
      ) : (
        <ul class="rows">
          {finished.map((issue) => (
            <li key={`${issue.tracker}:${issue.id}`}>
              <StatusMark status={issue.status} />
              <div class="grow">
                <IssueLink identifier={issue.identifier} title={issue.title} />
              </div>
              <span class="row-numbers">
                <TrialMark issue={issue} />
                <IssuePullRequestLink issue={issue} />
                {issue.tokens.total > 0 && <span>{formatCount(issue.tokens.total)} tok</span>}
                <Ago at={issue.updatedAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
