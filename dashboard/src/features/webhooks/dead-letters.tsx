import type { DeadLetter } from '@switchyard/shared/api/admin/webhook';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'preact/hooks';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DataTable } from '../../ui/data/data-table.tsx';
import { Icon } from '../../ui/marks/icon.tsx';
import { LoadMore } from '../../ui/data/load-more.tsx';
import { Modal } from '../../ui/overlays/modal.tsx';
import { Ago } from '../../ui/marks/ago.tsx';
import { QueryView } from '../../ui/data/query-view.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { deadLettersQuery, deadLetterQuery, replayDeadLetter } from './queries.ts';
import { Button } from '../../ui/button.tsx';

/** Dead letters, with their body and a button that replays them. */
export function DeadLetters() {
  const query = useInfiniteQuery(deadLettersQuery);
  const [opened, setOpened] = useState<number | null>(null);
  const letters = query.data?.pages.flatMap((page) => page.deliveries) ?? [];
  return (
    <section class="dead-letters" aria-labelledby="dead-title">
      <h2 id="dead-title">Dead letters</h2>
      <QueryView query={query}>
        {() =>
          letters.length === 0 ? (
            <p class="note good">
              <Icon name="completed" size={14} /> No dead letters.
            </p>
          ) : (
            <DataTable
              label="Failed deliveries"
              rows={letters}
              rowKey={(letter) => letter.id}
              columns={[
                { name: 'Event', cell: (letter) => <LetterName letter={letter} /> },
                { name: 'Error', cell: (letter) => <span class="wrap">{letter.error}</span> },
                { name: 'Tries', numeric: true, wide: true, cell: (letter) => letter.tries },
                { name: 'Received', wide: true, cell: (letter) => <Ago at={letter.receivedAt} /> },
                {
                  name: 'Actions',
                  cell: (letter) => <Actions letter={letter} onOpen={() => setOpened(letter.id)} />,
                },
              ]}
            />
          )
        }
      </QueryView>
      <LoadMore query={query} shown={letters.length} total={query.data?.pages[0]?.total ?? 0} />
      {opened !== null && <LetterBody id={opened} onClose={() => setOpened(null)} />}
    </section>
  );
}

function LetterName({ letter }: { letter: DeadLetter }) {
  return (
    <>
      <span class="tag">{letter.provider}</span> <span class="mono wrap">{letter.event}</span>
    </>
  );
}

function Actions({ letter, onOpen }: { letter: DeadLetter; onOpen: () => void }) {
  return (
    <span class="letter-actions">
      <Button small aria-label={`Show ${letter.event} ${letter.id}`} onClick={onOpen}>
        Show
      </Button>
      <ActionButton
        icon="retry"
        small
        aria-label={`Replay ${letter.event} ${letter.id}`}
        action={() => replayDeadLetter(letter.id)}
        done={`${letter.event} queued for replay.`}
        stale={[deadLettersQuery.queryKey, ['webhook-health']]}
      >
        Replay
      </ActionButton>
    </span>
  );
}

function LetterBody({ id, onClose }: { id: number; onClose: () => void }) {
  const letter = useQuery(deadLetterQuery(id));
  return (
    <Modal title={`Delivery ${id}`} onClose={onClose}>
      <QueryView query={letter}>
        {(found) => {
          const text = JSON.stringify(found.payload, null, 2);
          return (
            <>
              <p class="wrap">
                <span class="tag">{found.provider}</span> {found.event}, delivery ID{' '}
                <span class="mono">{found.deliveryId}</span>
              </p>
              <pre class="letter-body" tabIndex={0} aria-label="Body">
                {text}
              </pre>
              <footer>
                <CopyButton text={text} label="Copy the body" />
              </footer>
            </>
          );
        }}
      </QueryView>
    </Modal>
  );
}
