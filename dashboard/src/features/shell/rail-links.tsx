import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { openRequestsQuery, pullRequestsQuery, runnersQuery } from '../../api/queries.ts';
import { Icon } from '../../ui/icon.tsx';
import { PHONE_VIEWS, type ViewPath, VIEWS } from './views.ts';

const GROUPS = [
  { id: 'work', title: null },
  { id: 'rules', title: 'Rules' },
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
              <RailLink key={view.to} view={view} />
            ))}
            {group.id === 'service' && <ExplorerLink />}
          </ul>
        </div>
      ))}
    </div>
  );
}

/** Not a view: a page of its own with a policy of its own. */
export function ExplorerLink() {
  return (
    <li>
      <a class="rail-link" href="/api/docs">
        <Icon name="code" />
        <span>API explorer</span>
      </a>
    </li>
  );
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
  const count = useQuery(openRequestsQuery).data?.total ?? 0;
  return <Count count={count} label="waiting for you" loud />;
}

function OpenCount() {
  const list = useQuery(pullRequestsQuery).data?.pullRequests ?? [];
  return <Count count={list.filter((entry) => entry.status === 'open').length} label="open" />;
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
