import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { enginesQuery } from '../../api/queries.ts';
import { EmptyState, QueryView } from '../../ui/data/query-view.tsx';
import { EngineCard, type Heading } from './engine-card.tsx';
import './engine.css';
import './engines.css';

/** Every engine in the settings or on a runner, each with a test. */
export function EnginesPanel({ heading = 'h2' }: { heading?: Heading }) {
  const engines = useQuery(enginesQuery);
  return (
    <QueryView query={engines} skeletonLines={6}>
      {({ engines: all, choices }) =>
        all.length === 0 ? (
          <EmptyState icon="engine" title="No agent engines">
            <p>
              No settings name one and no runner has one. <Link to="/runners">View runners</Link>
            </p>
          </EmptyState>
        ) : (
          <div class="engine-cards">
            {all.map((engine) => (
              <EngineCard
                key={engine.name}
                engine={engine}
                heading={heading}
                choices={choices.filter((choice) => choice.engine === engine.name)}
              />
            ))}
          </div>
        )
      }
    </QueryView>
  );
}
