import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { observabilityQuery } from '../../api/queries.ts';
import { Icon } from '../../ui/marks/icon.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { QueryView } from '../../ui/data/query-view.tsx';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { ConfigForm } from './config-form.tsx';
import { configQuery, configSchemaQuery, overlayQuery } from './queries.ts';
import { RawOverlay } from './raw-overlay.tsx';
import './config.css';

/**
 * Every setting: as a form generated from the schema, and as JSON. Nothing changes before a review.
 */
export function ConfigPage() {
  const config = useQuery(configQuery);
  const overlay = useQuery(overlayQuery);
  const schema = useQuery(configSchemaQuery);
  const { section, view } = useSearch({ from: '/config' });
  const navigate = useNavigate();
  const shown = view === 'json' ? 'json' : 'form';
  return (
    <Page title="Configuration">
      <div class="config-page">
        <ConfigHealth />
        <Tabs
          label="Editor"
          tabs={[
            { id: 'form', label: 'Form' },
            { id: 'json', label: 'JSON' },
          ]}
          selected={shown}
          onSelect={(id) =>
            void navigate({ to: '/config', search: id === 'json' ? { view: 'json' } : {} })
          }
        />
        <QueryView query={config} skeletonLines={10}>
          {(values) => (
            <QueryView query={overlay}>
              {(set) =>
                shown === 'json' ? (
                  <RawOverlay overlay={set} config={values} />
                ) : (
                  <QueryView query={schema} skeletonLines={10}>
                    {(found) => (
                      <ConfigForm schema={found} config={values} overlay={set} shown={section} />
                    )}
                  </QueryView>
                )
              }
            </QueryView>
          )}
        </QueryView>
      </div>
    </Page>
  );
}

/** Problems of the configuration, in particular that an older one is in force. */
function ConfigHealth() {
  const signals = useQuery(observabilityQuery).data?.signals ?? [];
  const signal = signals.find(({ name }) => name === 'configuration');
  if (signal === undefined || signal.status === 'ok') return null;
  return (
    <p class="note warning" role="status">
      <Icon name="warning" size={14} /> <span class="wrap">{signal.message}</span>
    </p>
  );
}
