import { useQuery } from '@tanstack/react-query';
import { useState } from 'preact/hooks';
import { Badge } from '../../ui/marks/badge.tsx';
import { QueryView } from '../../ui/data/query-view.tsx';
import { capabilitiesQuery, modesQuery, type RunnerChoice } from './queries.ts';
import { Fact } from '../../ui/data/fact.tsx';

/** The engine's version, capabilities and feature flags. */
export function FeaturesPanel({ runner }: { runner: RunnerChoice }) {
  const capabilities = useQuery(capabilitiesQuery(runner));
  const [filter, setFilter] = useState('');
  return (
    <QueryView query={capabilities} skeletonLines={8}>
      {(found) => {
        const features = Object.entries(found.features)
          .filter(([name]) => name.includes(filter.toLowerCase()))
          .toSorted(([a, isA], [b, isB]) => Number(isB) - Number(isA) || a.localeCompare(b));
        return (
          <>
            <p>
              <strong>{found.engine.name}</strong> <span class="mono">{found.engine.version}</span>
            </p>
            <Modes runner={runner} />
            <section class="panel engine-part" aria-labelledby="capabilities-title">
              <h2 id="capabilities-title">Capabilities</h2>
              <dl class="fact-grid">
                {Object.entries(found.capabilities).map(([name, value]) => (
                  <Fact key={name} name={name} class="mono wrap">
                    {JSON.stringify(value)}
                  </Fact>
                ))}
              </dl>
            </section>
            <section class="panel engine-part" aria-labelledby="features-title">
              <header>
                <h2 id="features-title">Features</h2>
                <input
                  class="field"
                  type="search"
                  aria-label="Find a feature"
                  placeholder="Find a feature"
                  value={filter}
                  onInput={(event) => setFilter(event.currentTarget.value)}
                />
              </header>
              <ul class="features">
                {features.map(([name, on]) => (
                  <li key={name}>
                    <Badge tone={on ? 'good' : 'quiet'}>{on ? 'on' : 'off'}</Badge>
                    <span class="mono wrap">{name}</span>
                  </li>
                ))}
              </ul>
              {features.length === 0 && <p class="quiet">No matching features.</p>}
            </section>
          </>
        );
      }}
    </QueryView>
  );
}

function Modes({ runner }: { runner: RunnerChoice }) {
  const modes = useQuery(modesQuery(runner)).data?.data ?? [];
  if (modes.length === 0) return null;
  return (
    <p>
      Collaboration modes:{' '}
      {modes.map(({ name }) => (
        <span key={name} class="tag">
          {name}
        </span>
      ))}
    </p>
  );
}
