import { cutText } from '@switchyard/shared/text/cut-text';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'preact/hooks';
import { ConfirmButton } from '../../ui/overlays/confirm-button.tsx';
import { Icon } from '../../ui/marks/icon.tsx';
import { LoadMore } from '../../ui/data/load-more.tsx';
import { Ago } from '../../ui/marks/ago.tsx';
import { EmptyState, QueryView } from '../../ui/data/query-view.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import {
  archiveThread,
  forkThread,
  type RunnerChoice,
  threadsQuery,
  unarchiveThread,
} from './queries.ts';
import { ThreadTurns } from './thread-turns.tsx';
import { Button } from '../../ui/button.tsx';

type ThreadPage = { data: Thread[] };
type Thread = {
  id: string;
  name?: string | null | undefined;
  preview?: string | null | undefined;
  updatedAt?: number | null | undefined;
  createdAt?: number | null | undefined;
};

/** Threads that the engine stores: those of agents, and forks of them. */
export function ThreadsPanel({ runner }: { runner: RunnerChoice }) {
  const [archived, setArchived] = useState(false);
  const [opened, setOpened] = useState<Thread | null>(null);
  const query = useInfiniteQuery(threadsQuery(runner, { archived }));
  const threads = (query.data?.pages as ThreadPage[] | undefined)?.flatMap((page) => page.data);
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          checked={archived}
          onChange={(event) => setArchived(event.currentTarget.checked)}
        />
        Show archived
      </label>
      <QueryView query={query} skeletonLines={6}>
        {() =>
          threads === undefined || threads.length === 0 ? (
            <EmptyState icon="message" title={archived ? 'No archived threads' : 'No threads'}>
              <p>
                {archived
                  ? 'Archived threads appear here.'
                  : 'A thread appears here when an agent has worked on an issue.'}
              </p>
            </EmptyState>
          ) : (
            <ul class="rows panel threads">
              {threads.map((thread) => (
                <ThreadRow
                  key={thread.id}
                  thread={thread}
                  runner={runner}
                  archived={archived}
                  onOpen={() => setOpened(thread)}
                />
              ))}
            </ul>
          )
        }
      </QueryView>
      {query.hasNextPage && (
        <LoadMore query={query} shown={threads?.length ?? 0} total={threads?.length ?? 0} />
      )}
      {opened !== null && (
        <ThreadTurns
          threadId={opened.id}
          name={titleOf(opened)}
          runner={runner}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  );
}

type RowProps = { thread: Thread; runner: RunnerChoice; archived: boolean; onOpen: () => void };

function ThreadRow({ thread, runner, archived, onOpen }: RowProps) {
  const client = useQueryClient();
  const threads = ['engine', 'threads'];
  const given = { threadId: thread.id, runner };
  const title = titleOf(thread);
  const seconds = thread.updatedAt ?? thread.createdAt;
  return (
    <li>
      <Icon name="message" />
      <div class="grow wrap">
        <p dir="auto">
          <strong>{title}</strong>
        </p>
        <p class="quiet">
          <span class="mono">{thread.id}</span>
          {typeof seconds === 'number' && (
            <>
              {' '}
              · <Ago at={new Date(seconds * 1_000).toISOString()} />
            </>
          )}
        </p>
      </div>
      <Button small aria-label={`Read ${title}`} onClick={onOpen}>
        Read
      </Button>
      {archived ? (
        <ActionButton
          small
          aria-label={`Unarchive ${title}`}
          action={() => unarchiveThread(given)}
          stale={[threads]}
        >
          Unarchive
        </ActionButton>
      ) : (
        <>
          <ActionButton
            small
            aria-label={`Fork ${title}`}
            action={() => forkThread(given)}
            done="Thread forked."
            stale={[threads]}
          >
            Fork
          </ActionButton>
          <ConfirmButton
            label="Archive"
            about={title}
            small
            question="Archive this thread?"
            explanation="You can unarchive it later."
            confirmLabel="Archive thread"
            action={() =>
              archiveThread(given).finally(
                () => void client.invalidateQueries({ queryKey: threads }),
              )
            }
          />
        </>
      )}
    </li>
  );
}

function titleOf(thread: Thread): string {
  const text = thread.name ?? thread.preview ?? '';
  const line = text.trim().split('\n')[0] ?? '';
  return line === '' ? 'Untitled' : cutText(line, 120);
}
