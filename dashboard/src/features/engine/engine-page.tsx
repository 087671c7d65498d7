import type { Runner } from '@switchyard/shared/api/runner';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { enginesQuery, runnersQuery } from '../../api/queries.ts';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState, QueryView } from '../../ui/data/query-view.tsx';
import { MissingPrices } from '../costs/missing-prices.tsx';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { AccountPanel } from './account-panel.tsx';
import { EnginesPanel } from './engines-panel.tsx';
import { FeaturesPanel } from './features-panel.tsx';
import { McpPanel } from './mcp-panel.tsx';
import { ThreadsPanel } from './threads-panel.tsx';
import '../../ui/data/fact-grid.css';
import '../../ui/data/meter.css';
import './engine.css';
import { Select } from '../../ui/forms/select.tsx';

const VIEWS = [
  { id: 'engines', label: 'Engines' },
  { id: 'account', label: 'Account and limits' },
  { id: 'threads', label: 'Threads' },
  { id: 'mcp', label: 'MCP servers' },
  { id: 'features', label: 'Features' },
] as const;
type View = (typeof VIEWS)[number]['id'];

/**
 * All agent engines with their capabilities, and for one that answers operators its account,
 * threads and features.
 */
export function EnginePage() {
  const search = useSearch({ from: '/engine' });
  const navigate = useNavigate();
  const view: View = VIEWS.find(({ id }) => id === search.view)?.id ?? 'engines';
  const go: Go = (next) => void navigate({ to: '/engine', search: { ...search, ...next } });
  return (
    <Page title="Engine">
      <div class="column-page wide">
        <div class="engine-head">
          <Tabs
            label="About the engine"
            tabs={VIEWS}
            selected={view}
            onSelect={(id) => go({ view: id })}
          />
          {view !== 'engines' && <AskedEngine search={search} go={go} />}
        </div>
        {view === 'engines' && <MissingPrices />}
        {view === 'engines' ? <EnginesPanel /> : <OperatorViews view={view} search={search} />}
      </div>
    </Page>
  );
}

type Search = { runner?: string | undefined; engine?: string | undefined };
type Go = (next: Search & { view?: string }) => void;

const isPresent = ({ status }: Runner) => ['connected', 'draining'].includes(status);

/** Selects the runner and, where there are several, the engine that the requests go to. */
function AskedEngine({ search, go }: { search: Search; go: Go }) {
  const here = useQuery(runnersQuery).data?.runners.filter(isPresent) ?? [];
  const engines = useQuery(enginesQuery).data?.engines ?? [];
  if (here.length === 0) return null;
  return (
    <span class="engine-asked">
      {engines.length > 1 && (
        <Select
          aria-label="Engine"
          options={[['', 'Default engine'], ...engines.map(({ name }) => name)]}
          value={search.engine ?? ''}
          onChoose={(id) => go({ engine: id })}
        />
      )}
      <Select
        aria-label="Runner"
        options={[
          ['', 'Least busy runner'],
          ...here.map(({ runnerId, name }) => [runnerId, name] as const),
        ]}
        value={search.runner ?? ''}
        onChoose={(id) => go({ runner: id })}
      />
    </span>
  );
}

/** The views of an engine that answers operators. */
function OperatorViews({ view, search }: { view: View; search: Search }) {
  const runners = useQuery(runnersQuery);
  const engines = useQuery(enginesQuery).data?.engines ?? [];
  const engine = engines.find(({ name, isDefault }) =>
    search.engine ? name === search.engine : isDefault,
  );
  return (
    <QueryView query={runners}>
      {(list) => {
        const here = list.runners.filter(isPresent);
        if (here.length === 0) {
          return (
            <EmptyState icon="engine" title="No engine available">
              <p>Engines are reached through runners, and no runner is connected.</p>
            </EmptyState>
          );
        }
        if (engine?.capabilities?.operator === false) {
          return (
            <EmptyState icon="engine" title={`${engine.name} answers no operators`}>
              <p>
                It has no threads, account or MCP servers to show. Its key belongs to an account in
                the settings.
              </p>
            </EmptyState>
          );
        }
        const runner = here.find(({ runnerId }) => runnerId === search.runner)?.runnerId;
        const asked = {
          ...(runner === undefined ? {} : { runner }),
          ...(search.engine ? { engine: search.engine } : {}),
        };
        return (
          <>
            {view === 'account' && <AccountPanel runner={asked} />}
            {view === 'threads' && <ThreadsPanel runner={asked} />}
            {view === 'mcp' && <McpPanel runner={asked} />}
            {view === 'features' && <FeaturesPanel runner={asked} />}
          </>
        );
      }}
    </QueryView>
  );
}
