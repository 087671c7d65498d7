import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { closePullRequest, mergePullRequest } from '../../api/actions.ts';
import { ApiError } from '../../api/api.ts';
import { issueQuery, pullRequestDiffQuery, pullRequestQuery } from '../../api/queries.ts';
import { plural } from '../../format/format-count.ts';
import { ConfirmButton } from '../../ui/overlays/confirm-button.tsx';
import { DiffCount } from '../../ui/diff/diff-count.tsx';
import { DiffView } from '../../ui/diff/diff-view.tsx';
import { Icon } from '../../ui/marks/icon.tsx';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { Ago } from '../../ui/marks/ago.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { QueryView, Skeleton } from '../../ui/data/query-view.tsx';
import { PullRequestMark } from '../../ui/marks/pull-request-mark.tsx';
import { AttemptChecks } from '../checks/attempt-checks.tsx';
import { AttemptEvidence } from '../evidence/attempt-evidence.tsx';
import { MergeQueuePanel } from '../merge-queue/merge-queue-panel.tsx';
import { useQueuePolicy } from '../merge-queue/use-queue-policy.ts';
import { ReviewPanel } from '../reviews/review-panel.tsx';
import { ReviewedDiff } from '../review/reviewed-diff.tsx';
import { HindranceNote } from '../routes/hindrance-note.tsx';
import { gitContextQuery } from '../routes/queries.ts';
import { refresh } from '../../api/read-query.ts';
import { IssueLink } from '../../ui/marks/issue-link.tsx';
import './pull-requests.css';

/** One pull request of the built-in code host, to review and decide. */
export function PullRequestPage() {
  const { id } = useParams({ from: '/pull-requests/$id' });
  const pullRequest = useQuery(pullRequestQuery(id));
  const { data } = pullRequest;
  return (
    <Page
      fixed
      title={data === undefined ? 'Pull request' : `#${data.number} ${data.title}`}
      heading={
        <div class="issue-heading">
          <Link to="/pull-requests" className="icon-button" aria-label="Back to the pull requests">
            <Icon name="back" />
          </Link>
          {data && <span class="mono identifier">#{data.number}</span>}
          {data && <h1 dir="auto">{data.title}</h1>}
        </div>
      }
      actions={data?.status === 'open' && <Decide pullRequest={data} />}
    >
      <QueryView query={pullRequest}>{(loaded) => <Body pullRequest={loaded} />}</QueryView>
    </Page>
  );
}

/** With the issue loaded, comments on lines can be sent to its agent. */
function Body({ pullRequest }: { pullRequest: PullRequest }) {
  const { issueIdentifier } = pullRequest;
  const diff = useQuery(pullRequestDiffQuery(pullRequest.id));
  const issue = useQuery(issueQuery(issueIdentifier));
  const about = <About pullRequest={pullRequest} />;
  if (issue.data !== undefined && diff.data !== undefined) {
    const { data } = issue;
    return <ReviewedDiff key={issueIdentifier} above={about} diff={diff.data} issue={data} />;
  }
  const missing = diff.error instanceof ApiError && diff.error.status === 404;
  return (
    <div class="reviewed">
      {about}
      {missing ? (
        <p class="note">
          <Icon name="file" size={14} /> No diff is available for this pull request.
        </p>
      ) : (
        <QueryView query={diff} skeletonLines={12}>
          {(text) => (issue.isPending ? <Skeleton lines={12} /> : <DiffView diff={text} tree />)}
        </QueryView>
      )}
    </div>
  );
}

function About({ pullRequest }: { pullRequest: PullRequest }) {
  const stat = pullRequest.diffStat;
  return (
    <section class="pr-about">
      <p class="pr-line">
        <PullRequestMark pullRequest={pullRequest} />
        <span class="mono wrap">
          {pullRequest.branch} → {pullRequest.base}
        </span>
        <span>
          for <IssueLink identifier={pullRequest.issueIdentifier} />
        </span>
        <span class="quiet">
          updated <Ago at={pullRequest.updatedAt} />
        </span>
        <span class="spacer" />
        <span class="quiet">{plural(stat.files, 'file')}</span>
        <DiffCount additions={stat.insertions} deletions={stat.deletions} />
      </p>
      {pullRequest.status === 'open' && <MergeHindrance pullRequest={pullRequest} />}
      {pullRequest.mergeCommitSha !== null && (
        <p class="note good">
          <Icon name="completed" size={14} /> Merged as{' '}
          <code>{pullRequest.mergeCommitSha.slice(0, 12)}</code>
        </p>
      )}
      <MergeQueuePanel pullRequest={pullRequest} />
      <ReviewPanel key={pullRequest.id} pullRequest={pullRequest} />
      <AttemptChecks attemptId={pullRequest.attemptId} />
      <AttemptEvidence
        attemptId={pullRequest.attemptId}
        issueIdentifier={pullRequest.issueIdentifier}
      />
      {pullRequest.body.trim() !== '' && (
        <div class="panel pr-body" tabIndex={0} role="region" aria-labelledby="pr-description">
          <h2 id="pr-description" class="visually-hidden">
            Description
          </h2>
          <Markdown text={pullRequest.body} />
        </div>
      )}
    </section>
  );
}

/** An obstacle to the merge that a runner has detected, shown before anybody tries it. */
function MergeHindrance({ pullRequest }: { pullRequest: PullRequest }) {
  const { data } = useQuery(gitContextQuery);
  const { repositoryUrl, base } = pullRequest;
  const route = data?.routes.find(({ url, head }) => url === repositoryUrl && head === base);
  return route?.hindrance == null ? null : <HindranceNote hindrance={route.hindrance} />;
}

function Decide({ pullRequest }: { pullRequest: PullRequest }) {
  const client = useQueryClient();
  const isQueued = useQueuePolicy(pullRequest.repositoryUrl) !== null;
  const what = `Merges ${plural(pullRequest.diffStat.files, 'file')} from ${pullRequest.branch}`;
  const settle = async (action: (id: string) => Promise<PullRequest>) => {
    await action(pullRequest.id);
    await Promise.all([
      client.invalidateQueries({ queryKey: ['pull-request', pullRequest.id] }),
      refresh(client, 'pull-requests', 'merge-queue'),
    ]);
  };
  return (
    <>
      <ConfirmButton
        label="Close"
        question={`Close #${pullRequest.number} without merging?`}
        explanation="The branch stays in the repository."
        confirmLabel="Close pull request"
        danger
        action={() => settle(closePullRequest)}
      />
      <ConfirmButton
        label="Merge"
        icon="pull"
        primary={!isQueued}
        question={`Merge into ${pullRequest.base}?`}
        explanation={
          isQueued
            ? `${what} now, without a test of the merge. The merge queue tests it first.`
            : `${what}.`
        }
        confirmLabel="Merge"
        action={() => settle(mergePullRequest)}
      />
    </>
  );
}
