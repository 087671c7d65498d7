import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'preact';
import { useNeedingPerson } from '../../../api/issue-lists.ts';
import { pullRequestListQuery, runnersQuery } from '../../../api/queries.ts';
import { Icon } from '../../../ui/marks/icon.tsx';
import { useSavedViews } from '../../board/saved-views.ts';
import { PHONE_VIEWS, type ViewPath, VIEWS } from '../views.ts';

const GROUPS = [
  { id: 'work', title: null },
  { id: 'rules', title: 'Automation' },
  { id: 'service', title: 'Service' },
] as const;

/** The way to every view; on a phone only the first few, the rest in the menu. */
export function RailLinks() {
  return (
    <div class="rail-links">
      {GROUPS.map((group) => (
        <div key={group.id} class="rail-group">
          {group.title !== null && <h2>{group.title}</h2>}
          <ul>
            {VIEWS.filter((view) => view.group === group.id).map((view) => (
              <Fragment key={view.to}>
                <RailLink view={view} />
                {view.to === '/board' && <SavedViewLinks />}
              </Fragment>
            ))}
            {group.id === 'service' && <ReferenceLinks />}
          </ul>
        </div>
      ))}
    </div>
  );
}

/** What one reads up. The explorer is a page of its own with a policy of its own. */
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

/** The filters of the board that are kept by name. */
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

/** A link to one view with what it counts. */
export function RailLink({ view }: { view: (typeof VIEWS)[number] }) {
  return (
    <li class={PHONE_VIEWS.includes(view.to) ? '' : 'not-phone'}>
      <Link to={view.to} className="rail-link" activeOptions={{ exact: view.to === '/' }}>
        <Icon name={view.icon} />
        <span>{view.label}</span>
        <ViewCount path={view.to} />
      </Link>
    </li>
  );
}

function ViewCount({ path }: { path: ViewPath }) {
  if (path === '/requests') return <WaitingCount />;
  if (path === '/pull-requests') return <OpenCount />;
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
