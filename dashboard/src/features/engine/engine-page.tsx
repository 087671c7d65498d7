import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { runnersQuery } from '../../api/queries.ts';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState, QueryView } from '../../ui/data/query-view.tsx';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { AccountPanel } from './account-panel.tsx';
import { FeaturesPanel } from './features-panel.tsx';
import { McpPanel } from './mcp-panel.tsx';
import { ThreadsPanel } from './threads-panel.tsx';
import '../../ui/data/fact-grid.css';
import '../../ui/data/meter.css';
import './engine.css';
import { Select } from '../../ui/forms/select.tsx';

const VIEWS = [
  { id: 'account', label: 'Account and limits' },
  { id: 'threads', label: 'Threads' },
  { id: 'mcp', label: 'MCP servers' },
  { id: 'features', label: 'Features' },
] as const;
type View = (typeof VIEWS)[number]['id'];

/** The agent engine itself, asked through a runner: whom it works for, what it keeps, what it can. */
export function EnginePage() {
  const runners = useQuery(runnersQuery);
  const search = useSearch({ from: '/engine' });
  const navigate = useNavigate();
  const view: View = VIEWS.find(({ id }) => id === search.view)?.id ?? 'account';
  const go = (next: { view?: string; runner?: string }) =>
    void navigate({ to: '/engine', search: { ...search, ...next } });
  return (
    <Page title="Engine">
      <div class="column-page wide">
        <QueryView query={runners}>
          {(list) => {
            const here = list.runners.filter(({ status }) =>
              ['connected', 'draining'].includes(status),
            );
            if (here.length === 0) {
              return (
                <EmptyState icon="engine" title="No engine available">
                  <p>Engines are reached through runners, and no runner is connected.</p>
                </EmptyState>
              );
            }
            const runner = here.find(({ runnerId }) => runnerId === search.runner)?.runnerId;
            return (
              <>
                <div class="engine-head">
                  <Tabs
                    label="About the engine"
                    tabs={VIEWS}
                    selected={view}
                    onSelect={(id) => go({ view: id })}
                  />
                  <label>
                    <span class="visually-hidden">Runner</span>
                    <Select
                      options={[
                        ['', 'Least busy runner'],
                        ...here.map(({ runnerId, name }) => [runnerId, name] as const),
                      ]}
                      value={runner ?? ''}
                      onChoose={(id) => go({ runner: id })}
                    />
                  </label>
                </div>
                {view === 'account' && <AccountPanel runner={runner} />}
                {view === 'threads' && <ThreadsPanel runner={runner} />}
                {view === 'mcp' && <McpPanel runner={runner} />}
                {view === 'features' && <FeaturesPanel runner={runner} />}
              </>
            );
          }}
        </QueryView>
      </div>
    </Page>
  );
}
