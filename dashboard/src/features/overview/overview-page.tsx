import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'preact/hooks';
import { openRequestsQuery, stateQuery } from '../../api/queries.ts';
import { Page } from '../../ui/layout/page.tsx';
import { LoadError, QueryView } from '../../ui/data/query-view.tsx';
import { FinishedPanel } from './finished-panel.tsx';
import { Figures } from './figures.tsx';
import { HealthPanel } from './health-panel.tsx';
import { NeedsYou } from './needs-you.tsx';
import { SyncButton } from './sync-button.tsx';
import { RunningPanel } from './running-panel.tsx';
import { SetUpPanel } from './set-up-panel.tsx';
import { UsagePanel } from './usage-panel.tsx';
import { WaitingPanel } from './waiting-panel.tsx';
import './overview.css';

/** What needs a person, what runs, what waits and why, and whether all is well: at a glance. */
export function OverviewPage() {
  const state = useQuery(stateQuery);
  const asked = useQuery(openRequestsQuery);
  const requests = asked.data?.requests;
  const asking = useMemo(() => new Set(requests?.map((request) => request.identifier)), [requests]);
  return (
    <Page title="Overview" actions={<SyncButton />}>
      <QueryView query={state} skeletonLines={14}>
        {(snapshot) => (
          <div class="overview">
            <Figures state={snapshot} asking={asking} />
            <div class="overview-main">
              <SetUpPanel />
              {requests === undefined && asked.error !== null && (
                <LoadError error={asked.error} onRetry={() => void asked.refetch()} />
              )}
              <NeedsYou state={snapshot} requests={requests} />
              <RunningPanel state={snapshot} asking={asking} />
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
