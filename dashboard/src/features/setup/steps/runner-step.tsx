import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'preact/hooks';
import { runnersQuery } from '../../../api/queries.ts';
import { Badge } from '../../../ui/marks/badge.tsx';
import { Icon } from '../../../ui/marks/icon.tsx';
import { QueryView } from '../../../ui/data/query-view.tsx';
import { JoinRunner } from '../../runners/add-runner.tsx';
import { SandboxImage } from '../../runners/sandbox-image.tsx';
import { EnginesPanel } from '../../engine/engines-panel.tsx';
import type { Setup } from '../queries.ts';
import { Button } from '../../../ui/button.tsx';

/** The joined machines, and the command that adds one. */
export function RunnerStep(_props: { setup: Setup }) {
  const runners = useQuery(runnersQuery);
  const [adding, setAdding] = useState(false);
  return (
    <QueryView query={runners} skeletonLines={3}>
      {(list) => {
        const present = list.runners.filter(({ status }) => status !== 'revoked');
        return (
          <>
            {present.length > 0 && (
              <ul class="rows">
                {present.map((runner) => (
                  <li key={runner.runnerId}>
                    <Badge tone={runner.status === 'connected' ? 'good' : 'quiet'}>
                      {runner.status}
                    </Badge>
                    <span class="grow wrap">
                      <strong>{runner.name}</strong>
                      {runner.warnings.map((warning) => (
                        <span key={warning} class="note warning">
                          <Icon name="warning" size={14} /> {warning}
                        </span>
                      ))}
                      <SandboxImage runner={runner} />
                    </span>
                    <span class="quiet">
                      {runner.slots.total} {runner.slots.total === 1 ? 'slot' : 'slots'}
                    </span>
                  </li>
                ))}
              </ul>
            )}
            {present.length > 0 && <EnginesPanel heading="h3" />}
            {adding || present.length === 0 ? (
              <JoinRunner known={list.runners} />
            ) : (
              <div class="submit-row">
                <Button icon="plus" onClick={() => setAdding(true)}>
                  Add a runner
                </Button>
                <Link to="/runners" className="button">
                  View runners
                </Link>
              </div>
            )}
          </>
        );
      }}
    </QueryView>
  );
}
