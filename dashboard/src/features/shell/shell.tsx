import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { useEffect } from 'preact/hooks';
import { keepQueriesLive } from '../../api/keep-queries-live.ts';
import { Icon } from '../../ui/marks/icon.tsx';
import { Toasts } from '../../ui/overlays/toasts.tsx';
import { RetryQuestion } from '../control/retry-question.tsx';
import { StopQuestion } from '../control/stop-question.tsx';
import { askForPalette } from './palette/ask-for-palette.ts';
import { Banners } from './banners/banners.tsx';
import { GlobalKeys } from './palette/global-keys.tsx';
import { MoreMenu } from './more-menu.tsx';
import { NotifyButton } from './rail/notify-button.tsx';
import { PauseButton } from './rail/pause-button.tsx';
import { RailLinks } from './rail/rail-links.tsx';
import { SignInWhenWanted } from './sign-in/sign-in-when-wanted.tsx';
import { SignOutEverywhere } from './sign-in/sign-out-everywhere.tsx';
import { StreamMark } from './rail/stream-mark.tsx';
import { ThemeButton } from './rail/theme-button.tsx';
import { Totals } from './rail/totals.tsx';
import './rail/rail.css';
import './shell.css';

/** The frame of every page: navigation, warnings, and the state of the connection. */
export function Shell() {
  const client = useQueryClient();
  useEffect(() => keepQueriesLive(client), [client]);
  return (
    <div class="shell">
      <a class="skip-link" href="#content">
        Skip to content
      </a>
      <nav class="rail" aria-label="Main">
        <Link to="/" className="brand" aria-label="Switchyard, to the overview">
          <Brand />
          <span>Switchyard</span>
        </Link>
        <button
          type="button"
          class="rail-search"
          aria-keyshortcuts="/ Control+K"
          onClick={askForPalette}
        >
          <Icon name="search" size={14} />
          <span class="grow">Search</span>
          <kbd>/</kbd>
        </button>
        <RailLinks />
        <MoreMenu />
        <div class="rail-foot">
          <Totals />
          <div class="rail-tools">
            <StreamMark />
            <NotifyButton />
            <PauseButton />
            <ThemeButton />
            <Link
              to="/docs/$page"
              params={{ page: 'setup' }}
              className="icon-button"
              aria-label="Documentation"
              title="Documentation"
            >
              <Icon name="help" />
            </Link>
          </div>
        </div>
      </nav>
      <div class="main">
        <Banners />
        <main id="content" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <Toasts />
      <GlobalKeys />
      <StopQuestion />
      <RetryQuestion />
      <SignInWhenWanted />
      <SignOutEverywhere />
    </div>
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
