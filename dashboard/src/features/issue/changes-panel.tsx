import type { IssueDetail } from '@switchyard/shared/api/issue';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { publishDraft } from '../../api/actions.ts';
import { ApiError } from '../../api/client.ts';
import { issueDiffQuery } from '../../api/queries.ts';
import { ConfirmButton } from '../../ui/confirm.tsx';
import { DiffView } from '../../ui/diff-view.tsx';
import { EmptyState, QueryView } from '../../ui/panel-states.tsx';

/** What the agent has changed so far, delivered or not. */
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
      <div class="changes-scroll">
        {nothing ? (
          <EmptyState icon="file" title="No changes saved yet">
            <p>They appear here with the first checkpoint that has any.</p>
          </EmptyState>
        ) : (
          <QueryView query={diff} skeletonLines={12}>
            {(text) => <DiffView diff={text} />}
          </QueryView>
        )}
      </div>
    </section>
  );
}

function standing(issue: IssueDetail): string {
  if (issue.status === 'running') return 'As of the last checkpoint; the agent is still at work.';
  if (issue.pullRequestUrl !== null) return 'As it was handed over in the pull request.';
  return 'Unfinished work, saved and not yet handed over.';
}

/** What there is becomes a draft that people can read, run and finish. */
function PublishButton({ identifier }: { identifier: string }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const publish = async () => {
    const pullRequest = await publishDraft(identifier);
    void client.invalidateQueries({ queryKey: ['issue', identifier] });
    void client.invalidateQueries({ queryKey: ['pull-requests'] });
    if (pullRequest.codeHost !== 'local') return;
    await navigate({ to: '/pull-requests/$id', params: { id: pullRequest.id } });
  };
  return (
    <ConfirmButton
      label="Publish as draft"
      icon="pull"
      question={`Publish the unfinished work of ${identifier}?`}
      explanation="It is pushed as a branch and becomes a draft pull request. The issue stays as it is."
      confirmLabel="Publish draft"
      action={publish}
    />
  );
}
