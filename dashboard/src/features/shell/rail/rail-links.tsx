import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { type ComponentChildren, Fragment } from 'preact';
import { useNeedingPerson } from '../../../api/issue-lists.ts';
import { pullRequestListQuery, runnersQuery, unreadQuery } from '../../../api/queries.ts';
import { Icon } from '../../../ui/marks/icon.tsx';
import { useSavedViews } from '../../board/saved-views.ts';
import type { View, ViewPath } from '../views.ts';
import { useViewGroups } from './use-view-groups.ts';

/**
 * Links to every view: the daily ones, and the settings as one entry that expands where one of them
 * is shown. On a phone only the first few, with the rest in the menu.
 */
export function RailLinks() {
  const { work, settings, index, onPhone } = useViewGroups();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const inSettings = path === index.to || settings.some(({ to }) => to === path);
  return (
    <div class="rail-links">
      <ul class="rail-group">
        {work.map((view) => (
          <Fragment key={view.to}>
            <RailLink view={view} onPhone={onPhone.includes(view.to)} />
            {view.to === '/board' && <SavedViewLinks />}
          </Fragment>
        ))}
      </ul>
      <ul class="rail-group">
        <RailLink view={index} holdsCurrent={inSettings && path !== index.to}>
          {inSettings && (
            <ul class="rail-settings">
              {settings.map((view) => (
                <RailLink key={view.to} view={view} />
              ))}
            </ul>
          )}
        </RailLink>
      </ul>
    </div>
  );
}

/**
 * Links to reference pages. The explorer is a separate page with its own content security policy.
 */
export function ReferenceLinks() {
  return (
    <>
      <li>
        <Link to="/docs/$page" params={{ page: 'setup' }} className="rail-link">
          <Icon name="help" />
          <span>Documentation</span>
        </Link>
      </li>
      <li>
        <a class="rail-link" href="/api/docs">
          <Icon name="code" />
          <span>API explorer</span>
        </a>
      </li>
    </>
  );
}

/** Links to the board's saved filters. */
export function SavedViewLinks() {
  return useSavedViews().map(({ name, filter }) => (
    <li key={name} class="not-phone">
      <Link
        to="/board"
        search={filter}
        className="rail-link rail-saved"
        activeOptions={{ exact: true, includeSearch: true }}
      >
        <span dir="auto">{name}</span>
      </Link>
    </li>
  ));
}

/** A link to one view with its count; `holdsCurrent`: one of the views below it is shown. */
export function RailLink(props: {
  view: View;
  onPhone?: boolean;
  holdsCurrent?: boolean;
  children?: ComponentChildren;
}) {
  const { view } = props;
  return (
    <li class={props.onPhone === true ? '' : 'not-phone'}>
      <Link
        to={view.to}
        className="rail-link"
        activeOptions={{ exact: view.to === '/' }}
        {...(props.holdsCurrent === true && { 'aria-current': 'true' as const })}
      >
        <Icon name={view.icon} />
        <span>{view.label}</span>
        <ViewCount path={view.to} />
      </Link>
      {props.children}
    </li>
  );
}

function ViewCount({ path }: { path: ViewPath }) {
  if (path === '/requests') return <WaitingCount />;
  if (path === '/pull-requests') return <OpenCount />;
  if (path === '/notifications') return <UnreadCount />;
  return path === '/runners' ? <ConnectedCount /> : null;
}

function WaitingCount() {
  const count = useNeedingPerson().counts?.person ?? 0;
  return <Count count={count} label="waiting for you" loud />;
}

function OpenCount() {
  const count = useInfiniteQuery(pullRequestListQuery('open')).data?.pages[0]?.total ?? 0;
  return <Count count={count} label="open" />;
}

/** Number of unread notifications. */
export function UnreadCount() {
  const count = useQuery(unreadQuery).data?.unreadCount ?? 0;
  return <Count count={count} label="unread" />;
}

function ConnectedCount() {
  const list = useQuery(runnersQuery).data?.runners ?? [];
  const count = list.filter((runner) => runner.status === 'connected').length;
  return <Count count={count} label="connected" />;
}

function Count(props: { count: number; label: string; loud?: boolean }) {
  if (props.count === 0) return null;
  return (
    <span class={props.loud ? 'rail-count loud' : 'rail-count'}>
      {props.count}
      <span class="visually-hidden"> {props.label}</span>
    </span>
  );
}
