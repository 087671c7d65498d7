import type { MergeQueueEntry } from '@switchyard/shared/api/pull-requests/merge-queue';
import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { LoadError, Skeleton } from '../../ui/data/query-view.tsx';
import { EnterButton, EntryButtons } from './entry-buttons.tsx';
import { MergeBadge, MergeFacts } from './merge-facts.tsx';
import type { QueuePolicy } from './policy-of.ts';
import { mergeQueueQuery } from './queries.ts';
import { useQueuePolicy } from './use-queue-policy.ts';
import './merge-queue-panel.css';

/**
 * The pull request in the merge queue of its base branch; nothing where people merge and it is in
 * no queue.
 */
export function MergeQueuePanel({ pullRequest }: { pullRequest: PullRequest }) {
  const { id, repositoryUrl, status } = pullRequest;
  const policy = useQueuePolicy(repositoryUrl);
  const { data, error, refetch } = useQuery(mergeQueueQuery);
  const entry = data?.entries.find(({ pullRequestId }) => pullRequestId === id);
  if (entry === undefined && (policy === null || status !== 'open')) return null;
  return (
    <section class="panel merge-panel" aria-label="Merge queue">
      <header>
        <h2>Merge queue</h2>
        {entry !== undefined && <MergeBadge entry={entry} />}
        <span class="spacer" />
        <Link to="/merge-queue">All queues</Link>
      </header>
      {entry !== undefined ? (
        <Queued entry={entry} />
      ) : data !== undefined ? (
        policy !== null && <NotQueued pullRequest={pullRequest} policy={policy} />
      ) : error === null ? (
        <Skeleton lines={1} label="Loading Merge queue" />
      ) : (
        <LoadError error={error} onRetry={() => void refetch()} />
      )}
    </section>
  );
}

function Queued({ entry }: { entry: MergeQueueEntry }) {
  return (
    <div class="merge-panel-body">
      <div class="grow">
        <MergeFacts entry={entry} />
      </div>
      <EntryButtons entry={entry} />
    </div>
  );
}

type NotQueuedProps = { pullRequest: PullRequest; policy: QueuePolicy };

function NotQueued({ pullRequest: { id, number, base, draft }, policy }: NotQueuedProps) {
  if (!policy.hasChecks) {
    return (
      <p class="note">
        The repository declares no checks, so no merge can be tested.{' '}
        <Link to="/repositories">Declare checks</Link>
      </p>
    );
  }
  if (draft)
    return <p class="note">A draft is not merged. It can be queued once it is published.</p>;
  return (
    <div class="merge-panel-body">
      <p class="grow">
        Tests the merge with {base} and pushes it if all checks pass.
        {policy.mode === 'when-green' &&
          ' The repository queues it by itself once its agent is done and nothing leaves it to a person.'}
      </p>
      <EnterButton id={id} number={number} label="Queue for merge" primary />
    </div>
  );
}
