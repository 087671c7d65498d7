import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { stateQuery } from '../../api/queries.ts';
import { Page } from '../../ui/layout/page.tsx';
import { Icon } from '../../ui/marks/icon.tsx';
import { QueryView } from '../../ui/data/query-view.tsx';
import { FinishedPanel } from './finished-panel.tsx';
import { Figures } from './figures.tsx';
import { HealthPanel } from './health-panel.tsx';
import { ModelWarning } from './model-warning.tsx';
import { NeedsYou } from './needs-you.tsx';
import { RunningPanel } from './running-panel.tsx';
import { SetUpPanel } from './set-up-panel.tsx';
import { UsagePanel } from './usage-panel.tsx';
import { WaitingPanel } from './waiting-panel.tsx';
import { requestSync } from '../../api/actions.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { useCanSync } from './use-can-sync.ts';
import './overview.css';

/** A prefix without parts, which every query key has. */
const EVERYTHING = [[]];

/** What needs a person, what runs, what waits and why, and whether there are problems. */
export function OverviewPage() {
  const state = useQuery(stateQuery);
  return (
    <Page
      title="Overview"
      actions={
        <>
          <SyncButton />
          <Link to="/board" search={{ new: 'issue' }} className="button primary">
            <Icon name="plus" size={14} /> New issue
          </Link>
        </>
      }
    >
      <QueryView query={state} skeletonLines={14}>
        {(snapshot) => (
          <div class="overview">
            <Figures />
            <div class="overview-main">
              <SetUpPanel />
              <ModelWarning />
              <NeedsYou />
              <RunningPanel state={snapshot} />
              <WaitingPanel state={snapshot} />
              <FinishedPanel state={snapshot} />
            </div>
            <div class="overview-side">
              <UsagePanel />
              <HealthPanel />
            </div>
          </div>
        )}
      </QueryView>
    </Page>
  );
}

/**
 * Syncs with the tracker now instead of at the next interval; nothing without an external tracker.
 */
function SyncButton() {
  if (!useCanSync()) return null;
  return (
    <ActionButton icon="retry" action={requestSync} done="Sync requested." stale={EVERYTHING}>
      Sync now
    </ActionButton>
  );
}
