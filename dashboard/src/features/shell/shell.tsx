import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { useEffect } from 'preact/hooks';
import { keepQueriesLive } from '../../api/live-queries.ts';
import { openRequestsQuery, pullRequestsQuery, runnersQuery } from '../../api/queries.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { Banners } from './banners.tsx';
import { PauseButton } from './pause-button.tsx';
import { StreamMark } from './stream-mark.tsx';
import { ThemeButton } from './theme-button.tsx';
import { Totals } from './totals.tsx';
import './shell.css';

/** What stands around every page: the way to the others, warnings, and whether all this is live. */
export function Shell() {
  const client = useQueryClient();
  useEffect(() => keepQueriesLive(client), [client]);
  return (
    <div class="shell">
      <a class="skip-link" href="#content">
        Skip to content
      </a>
      <nav class="rail" aria-label="Main">
        <Link to="/" className="brand" aria-label="Switchyard, to the board">
          <Brand />
          <span>Switchyard</span>
        </Link>
        <RailLinks />
        <div class="rail-foot">
          <Totals />
          <div class="rail-tools">
            <StreamMark />
            <PauseButton />
            <ThemeButton />
          </div>
        </div>
      </nav>
      <div class="main">
        <Banners />
        <main id="content" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
    </div>
  );
}

function RailLinks() {
  const asked = useQuery(openRequestsQuery).data?.requests.length ?? 0;
  const open =
    useQuery(pullRequestsQuery).data?.pullRequests.filter((entry) => entry.status === 'open')
      .length ?? 0;
  const runners = useQuery(runnersQuery).data?.runners;
  const connected = runners?.filter((runner) => runner.status === 'connected').length;
  return (
    <ul class="rail-links">
      <RailLink to="/" icon="board" label="Board" />
      <RailLink
        to="/requests"
        icon="inbox"
        label="Requests"
        count={asked}
        countLabel="waiting for you"
        loud
      />
      <RailLink
        to="/pull-requests"
        icon="pull"
        label="Pull requests"
        short="PRs"
        count={open}
        countLabel="open"
      />
      <RailLink
        to="/runners"
        icon="runner"
        label="Runners"
        count={connected ?? 0}
        countLabel="connected"
      />
      <RailLink to="/setup" icon="setup" label="Setup" />
    </ul>
  );
}

type RailLinkProps = {
  to: '/' | '/requests' | '/pull-requests' | '/runners' | '/setup';
  icon: IconName;
  label: string;
  /** What a phone shows where the label does not fit. */
  short?: string;
  count?: number;
  countLabel?: string;
  loud?: boolean;
};

function RailLink({
  to,
  icon,
  label,
  short,
  count = 0,
  countLabel = '',
  loud = false,
}: RailLinkProps) {
  return (
    <li>
      <Link to={to} className="rail-link" activeOptions={{ exact: to === '/' }}>
        <Icon name={icon} />
        <span class={short === undefined ? '' : 'long'}>{label}</span>
        {short !== undefined && (
          <span class="short" aria-hidden="true">
            {short}
          </span>
        )}
        {count > 0 && (
          <span class={loud ? 'rail-count loud' : 'rail-count'}>
            {count}
            <span class="visually-hidden"> {countLabel}</span>
          </span>
        )}
      </Link>
    </li>
  );
}

function Brand() {
  return (
    <svg class="brand-mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
      <path d="M3 17h18M5 17c6.5 0 5-10 12-10" />
      <circle cx="18.5" cy="7" r="2.2" />
    </svg>
  );
}
