import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'preact/hooks';
import { foldQuiet } from '../../ui/data/fold-quiet.ts';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState, LoadError, Skeleton } from '../../ui/data/query-view.tsx';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { FeedRow } from './feed-row.tsx';
import { useFeed } from './use-feed.ts';
import { Button } from '../../ui/button.tsx';
import './feed.css';

const AREAS = [
  { id: 'all', label: 'All', of: [] },
  { id: 'issues', label: 'Issues', of: ['issue', 'attempt'] },
  {
    id: 'people',
    label: 'People',
    of: ['request', 'pull_request', 'merge_queue', 'review', 'notification'],
  },
  { id: 'runners', label: 'Runners', of: ['runner'] },
  {
    id: 'service',
    label: 'Service',
    of: ['service', 'config', 'poll', 'alert', 'automation', 'webhook'],
  },
] as const;

/** Frequent types whose meaning other events cover. */
const HIDDEN_TYPES = new Set(['poll.completed', 'notification.read', 'issue.updated']);

/** Types of intermediate steps, which matter little individually. */
const STEPS = new Set([
  'issue.queued',
  'issue.started',
  'issue.updated',
  'attempt.phase',
  'attempt.checkpoint',
  'notification.created',
  'notification.read',
  'poll.completed',
  'webhook.received',
  'webhook.processed',
]);

/** The subject of an event: its issue, otherwise its kind. */
function thingOf({ type, data }: StreamEvent): string | null {
  const { identifier } = data;
  return typeof identifier === 'string' ? identifier : (type.split('.')[0] ?? null);
}

/** The event feed, live; the steps of an issue are collapsed behind its latest line. */
export function FeedPage() {
  const { area: wanted } = useSearch({ from: '/feed' });
  const navigate = useNavigate({ from: '/feed' });
  const { events, status, error, retry } = useFeed();
  const [held, setHeld] = useState<readonly StreamEvent[] | null>(null);
  const area = AREAS.find((entry) => entry.id === wanted) ?? AREAS[0];
  const shown = useMemo(() => {
    const areas: readonly string[] = area.of;
    return (held ?? events).filter((event) => {
      if (areas.length === 0) return !HIDDEN_TYPES.has(event.type);
      return areas.includes(event.type.split('.')[0] ?? '');
    });
  }, [events, held, area]);
  const groups = useMemo(
    () => foldQuiet(shown, { thingOf, isQuiet: ({ type }) => STEPS.has(type) }),
    [shown],
  );
  const behind = held === null ? 0 : events.length - held.length;
  return (
    <Page
      title="Live feed"
      actions={
        <Button
          icon={held === null ? 'pause' : 'running'}
          aria-pressed={held !== null}
          onClick={() => setHeld(held === null ? events : null)}
        >
          {held === null ? 'Pause' : behind > 0 ? `Resume (${behind} new)` : 'Resume'}
        </Button>
      }
    >
      <div class="column-page wide">
        <Tabs
          label="Filter events"
          tabs={AREAS}
          selected={area.id}
          onSelect={(id) =>
            void navigate({ search: id === 'all' ? {} : { area: id }, replace: true })
          }
        />
        {shown.length === 0 && status === 'loading' && <Skeleton lines={8} />}
        {status === 'failed' && <LoadError error={error} onRetry={retry} />}
        {shown.length === 0 && status === 'live' && (
          <EmptyState icon="feed" title="No events yet">
            <p>
              Events appear here as they happen.{' '}
              <Link to="/board" search={{ new: 'issue' }}>
                Create an issue
              </Link>{' '}
              to start an agent.
            </p>
          </EmptyState>
        )}
        {shown.length > 0 && (
          <ol class="feed panel" aria-label="Events, newest first">
            {groups.map((group) => (
              <FeedRow key={(group.rest.at(-1) ?? group.first).seq} group={group} />
            ))}
          </ol>
        )}
      </div>
    </Page>
  );
}
