import type { MergeQueueEntry } from '@switchyard/shared/api/pull-requests/merge-queue';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { refresh } from '../../api/read-query.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { ConfirmButton } from '../../ui/overlays/confirm-button.tsx';
import { showToast } from '../../ui/overlays/toasts.tsx';
import { enterMergeQueue, leaveMergeQueue, mergeQueueQuery } from './queries.ts';

type EnterProps = { id: string; number: number; label: string; primary?: boolean };

/** Asks for the merge of a pull request. */
export function EnterButton({ id, number, label, primary = false }: EnterProps) {
  return (
    <ActionButton
      small={!primary}
      primary={primary}
      icon="merge"
      action={() => enterMergeQueue(id)}
      done={`#${number} is in the merge queue.`}
      stale={[mergeQueueQuery.queryKey, ['pull-request', id]]}
    >
      {label}
      <span class="visually-hidden"> #{number}</span>
    </ActionButton>
  );
}

/** Takes a pull request out of its queue, after a confirmation. */
function LeaveButton({ entry }: { entry: MergeQueueEntry }) {
  const client = useQueryClient();
  const { pullRequestId, number, state } = entry;
  return (
    <ConfirmButton
      label="Take out of the queue"
      about={`#${number}`}
      small
      question={`Take #${number} out of the merge queue?`}
      explanation={
        state === 'testing'
          ? 'Its merge test stops. It stays open and is not merged before somebody queues it again.'
          : 'It stays open and is not merged before somebody queues it again.'
      }
      confirmLabel="Take out"
      danger
      action={() =>
        leave(client, pullRequestId).then(() => showToast(`#${number} is out of the merge queue.`))
      }
    />
  );
}

async function leave(client: QueryClient, id: string): Promise<void> {
  try {
    await leaveMergeQueue(id);
  } finally {
    // Also after a refusal: it may be merged by now.
    void refresh(client, 'merge-queue', 'pull-request');
  }
}

/** What a person can do with an entry of the queue. */
export function EntryButtons({ entry }: { entry: MergeQueueEntry }) {
  if (entry.state !== 'held') return <LeaveButton entry={entry} />;
  return <EnterButton id={entry.pullRequestId} number={entry.number} label="Queue again" />;
}
