import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../../api/api.ts';
import { issueDiffQuery } from '../../api/queries.ts';
import { EmptyState, QueryView } from '../../ui/data/query-view.tsx';
import { ReviewedDiff } from '../review/reviewed-diff.tsx';
import { PublishButton } from './publish-button.tsx';
import './changes.css';

/** The agent's changes so far, delivered or not; each line accepts a comment for the agent. */
export function ChangesPanel({ issue }: { issue: IssueDetail }) {
  const diff = useQuery(issueDiffQuery(issue.identifier));
  const nothing = diff.error instanceof ApiError && diff.error.status === 404;
  const publishable =
    diff.data !== undefined && issue.pullRequestUrl === null && issue.status !== 'running';
  return (
    <section class="panel changes-panel" aria-label="Changes">
      {!nothing && (
        <header>
          <p class="quiet">{standing(issue)}</p>
          {publishable && <PublishButton identifier={issue.identifier} />}
        </header>
      )}
      {nothing ? (
        <EmptyState icon="file" title="No changes saved yet">
          <p>Changes appear here after the first checkpoint.</p>
        </EmptyState>
      ) : (
        <QueryView query={diff} skeletonLines={12}>
          {(text) => <ReviewedDiff key={issue.identifier} diff={text} issue={issue} />}
        </QueryView>
      )}
    </section>
  );
}

function standing(issue: IssueDetail): string {
  if (issue.status === 'running') return 'As of the last checkpoint; the agent is still running.';
  if (issue.pullRequestUrl !== null) return 'As submitted in the pull request.';
  return 'Unfinished work: saved, not submitted.';
}
