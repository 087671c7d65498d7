import type { HealthSignal } from '@switchyard/shared/api/observability';
import { useQuery } from '@tanstack/react-query';
import { observabilityQuery } from '../../api/queries.ts';
import { Badge } from '../../ui/marks/badge.tsx';
import { Ago, TextWithTimes } from '../../ui/marks/ago.tsx';
import { QueryView } from '../../ui/data/query-view.tsx';
import { useMissingSteps } from './use-missing-steps.ts';

const RANK = { down: 0, degraded: 1, ok: 2 } as const;

/** Health of the service and its dependencies; problems come first. */
export function HealthPanel() {
  const health = useQuery(observabilityQuery);
  return (
    <section class="panel overview-panel" aria-labelledby="health">
      <h2 id="health">
        Health
        {health.data !== undefined && <StatusBadge status={health.data.status} />}
      </h2>
      <QueryView query={health} skeletonLines={6}>
        {({ signals }) => (
          <ul class="signals">
            {signals
              .toSorted((a, b) => RANK[a.status] - RANK[b.status])
              .map((signal) => (
                <Signal key={signal.name} signal={signal} />
              ))}
          </ul>
        )}
      </QueryView>
    </section>
  );
}

function StatusBadge({ status }: { status: HealthSignal['status'] }) {
  const missing = useMissingSteps();
  if (status === 'ok' && missing === undefined) return null;
  if (status === 'ok' && (missing?.length ?? 0) > 0) {
    return <Badge tone="warning">Setup incomplete</Badge>;
  }
  if (status === 'ok') return <Badge tone="good">Healthy</Badge>;
  return status === 'degraded' ? (
    <Badge tone="warning">Degraded</Badge>
  ) : (
    <Badge tone="bad">Down</Badge>
  );
}

const LABELS = { ok: 'ok', degraded: 'degraded', down: 'down' };

function Signal({ signal }: { signal: HealthSignal }) {
  const tone = signal.status === 'ok' ? 'good' : signal.status === 'down' ? 'bad' : 'warning';
  return (
    <li class={signal.status}>
      <Badge tone={tone}>
        <span class="visually-hidden">{LABELS[signal.status]}: </span>
      </Badge>
      <span class="signal-name">{signal.name}</span>
      <span class="quiet wrap">
        <TextWithTimes text={signal.message} />
        {signal.since !== null && signal.status !== 'ok' && (
          <>
            {' '}
            · since <Ago at={signal.since} />
          </>
        )}
      </span>
    </li>
  );
}
