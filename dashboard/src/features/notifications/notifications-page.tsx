import type { Notification } from '@switchyard/shared/api/notification';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'preact/hooks';
import { Badge, type Tone } from '../../ui/marks/badge.tsx';
import { countText, type Folded, foldQuiet } from '../../ui/data/fold-quiet.ts';
import { Icon } from '../../ui/marks/icon.tsx';
import { IssueLink } from '../../ui/marks/issue-link.tsx';
import { PullRequestLink } from '../../ui/marks/pull-request-link.tsx';
import { LoadMore } from '../../ui/data/load-more.tsx';
import { Ago } from '../../ui/marks/ago.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState, QueryView } from '../../ui/data/query-view.tsx';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { Channels } from './channels.tsx';
import { markAllRead, markRead, notificationsQuery } from './queries.ts';
import './notifications.css';

const NOTIFICATIONS = [['notifications']];

/** The sent notifications, newest first, and their channels. */
export function NotificationsPage() {
  const [show, setShow] = useState<'unread' | 'all'>('unread');
  const query = useInfiniteQuery(notificationsQuery(show === 'unread'));
  const [first] = query.data?.pages ?? [];
  const unread = first?.unreadCount ?? 0;
  const list = query.data?.pages.flatMap((page) => page.notifications) ?? [];
  return (
    <Page
      title="Notifications"
      actions={
        <ActionButton
          icon="check"
          disabled={unread === 0}
          action={markAllRead}
          stale={NOTIFICATIONS}
        >
          Mark all read
        </ActionButton>
      }
    >
      <div class="column-page wide">
        <Tabs
          label="Filter notifications"
          tabs={[
            { id: 'unread', label: 'Unread', count: unread },
            { id: 'all', label: 'All' },
          ]}
          selected={show}
          onSelect={setShow}
        />
        <QueryView query={query} skeletonLines={8}>
          {() =>
            list.length === 0 ? (
              <EmptyState
                icon="bell"
                title={show === 'unread' ? 'No unread notifications' : 'No notifications yet'}
              >
                <p>
                  {show === 'unread'
                    ? 'New notifications appear here.'
                    : 'Notifications appear here when an agent starts, fails, asks or delivers.'}
                </p>
              </EmptyState>
            ) : (
              <ul class="rows panel notifications">
                {foldQuiet(list, FOLDING).map((group) => (
                  <NotificationRow key={(group.rest.at(-1) ?? group.first).id} group={group} />
                ))}
              </ul>
            )
          }
        </QueryView>
        <LoadMore query={query} shown={list.length} total={first?.total ?? 0} />
        <Channels />
      </div>
    </Page>
  );
}

const LABELS: Record<Notification['type'], { word: string; tone: Tone }> = {
  issue_claimed: { word: 'Picked up', tone: 'quiet' },
  worker_launched: { word: 'Started', tone: 'info' },
  worker_completed: { word: 'Finished', tone: 'good' },
  worker_retry: { word: 'Retrying', tone: 'warning' },
  worker_failed: { word: 'Failed', tone: 'bad' },
  input_requested: { word: 'Question', tone: 'ask' },
  pull_request_opened: { word: 'Pull request', tone: 'good' },
  alert_fired: { word: 'Alert', tone: 'warning' },
  automation_failed: { word: 'Automation', tone: 'bad' },
};

/** Folds notifications about the start of work, which matter little beside its result. */
const FOLDING = {
  thingOf: ({ issue }: Notification) => issue?.identifier ?? null,
  isQuiet: ({ type }: Notification) => type === 'issue_claimed' || type === 'worker_launched',
};

function NotificationRow({ group }: { group: Folded<Notification> }) {
  const client = useQueryClient();
  const [open, setOpen] = useState(false);
  const { first: notification, rest } = group;
  const unread = [notification, ...rest].filter((one) => !one.read);
  const read = async () => {
    for (const one of unread) await markRead(one.id);
  };
  // Opening the linked page marks a notification as read. The person did not request that, so a
  // failure is not shown.
  const onOpen = ({ target }: MouseEvent) => {
    if (unread.length === 0 || !(target instanceof Element) || target.closest('a') === null) return;
    const refresh = () => client.invalidateQueries({ queryKey: ['notifications'] });
    void read().then(refresh, () => {});
  };
  const pullRequestUrl = notification.metadata?.['pullRequestUrl'];
  const { word, tone } = LABELS[notification.type];
  return (
    <li class={unread.length === 0 ? '' : 'unread'} onClick={onOpen} onAuxClick={onOpen}>
      <Badge tone={tone}>{word}</Badge>
      <div class="grow wrap">
        <p dir="auto">{notification.message}</p>
        <p class="quiet">
          {notification.issue !== null && (
            <>
              <IssueLink identifier={notification.issue.identifier} /> {notification.issue.title}{' '}
              ·{' '}
            </>
          )}
          {typeof pullRequestUrl === 'string' && (
            <>
              <PullRequestLink url={pullRequestUrl} label="Pull request" /> ·{' '}
            </>
          )}
          <Ago at={notification.timestamp} />
          {rest.length > 0 && (
            <>
              {' '}
              <button
                type="button"
                class="earlier"
                aria-expanded={open}
                onClick={() => setOpen(!open)}
              >
                <Icon name="chevron" size={12} class={open ? 'turned' : ''} /> {rest.length}{' '}
                earlier: {countText(rest.map(({ type }) => LABELS[type].word.toLowerCase()))}
              </button>
            </>
          )}
        </p>
        {open && (
          <ul class="earlier-list">
            {rest.map((one) => (
              <li key={one.id} class="quiet" dir="auto">
                {one.message} · <Ago at={one.timestamp} />
              </li>
            ))}
          </ul>
        )}
      </div>
      {unread.length > 0 && (
        <ActionButton
          small
          aria-label={`Mark read: ${notification.message}`}
          action={read}
          stale={NOTIFICATIONS}
        >
          Mark read
        </ActionButton>
      )}
    </li>
  );
}
