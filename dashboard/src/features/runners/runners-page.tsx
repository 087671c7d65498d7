import type { Runner } from '@switchyard/shared/api/runner';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'preact/hooks';
import { runnersQuery } from '../../api/queries.ts';
import { serviceAheadMs } from '../../api/service-clock.ts';
import { AWAITED_ENGINE, plainVersion } from '../../format/engine-label.ts';
import { Icon, type IconName } from '../../ui/marks/icon.tsx';
import { Ago } from '../../ui/marks/ago.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState, QueryView } from '../../ui/data/query-view.tsx';
import { AddRunner } from './add-runner.tsx';
import { RunnerActions } from './runner-actions.tsx';
import { RunnerLoad } from './runner-load.tsx';
import { SandboxImage } from './sandbox-image.tsx';
import { Button } from '../../ui/button.tsx';
import { Fact } from '../../ui/data/fact.tsx';
import '../../ui/data/fact-grid.css';
import '../../ui/data/meter.css';
import './runners.css';

/** The runners: whether they are connected, how full they are, and their isolation. */
export function RunnersPage() {
  const runners = useQuery(runnersQuery);
  const [adding, setAdding] = useState(false);
  const add = (
    <Button icon="plus" primary onClick={() => setAdding(true)}>
      Add a runner
    </Button>
  );
  return (
    <Page title="Runners" actions={add}>
      {adding && <AddRunner known={runners.data?.runners ?? []} onClose={() => setAdding(false)} />}
      <div class="column-page wide">
        <QueryView query={runners}>
          {(list) =>
            list.runners.length === 0 ? (
              <EmptyState icon="runner" title="No runners">
                <p>
                  Agents run on runners, machines that you own. Without a runner, issues stay
                  queued.
                </p>
                {add}
              </EmptyState>
            ) : (
              <>
                <p class="quiet">
                  {list.runners.filter(({ status }) => status === 'connected').length} connected of{' '}
                  {list.runners.length}
                </p>
                {inOrder(list.runners).map((runner) => (
                  <RunnerPanel
                    key={runner.runnerId}
                    runner={runner}
                    asOfMs={runners.dataUpdatedAt}
                  />
                ))}
              </>
            )
          }
        </QueryView>
      </div>
    </Page>
  );
}

/** Runners in order: active ones first, revoked ones last. */
function inOrder(runners: Runner[]): Runner[] {
  const order = ['connected', 'draining', 'offline', 'revoked'];
  return runners.toSorted(
    (a, b) => order.indexOf(a.status) - order.indexOf(b.status) || a.name.localeCompare(b.name),
  );
}

const STATUS: Record<Runner['status'], { word: string; icon: IconName; look: string }> = {
  connected: { word: 'Connected', icon: 'completed', look: 'completed' },
  offline: { word: 'Offline', icon: 'cancelled', look: 'cancelled' },
  draining: { word: 'Draining', icon: 'pause', look: 'retrying' },
  revoked: { word: 'Revoked', icon: 'failed', look: 'failed' },
};

type RunnerPanelProps = {
  runner: Runner;
  /** Time of the response, by this browser's clock. */
  asOfMs: number;
};

function RunnerPanel({ runner, asOfMs }: RunnerPanelProps) {
  const status = STATUS[runner.status];
  const busy = runner.slots.total - runner.slots.free;
  return (
    <section class="panel runner" aria-label={runner.name}>
      <header>
        <h2>{runner.name}</h2>
        <span class={`status status-${status.look}`}>
          <Icon name={status.icon} size={14} /> {status.word}
        </span>
        <span class="spacer" />
        {runner.labels.map((label) => (
          <span key={label} class="tag">
            {label}
          </span>
        ))}
      </header>
      {runner.warnings.map((warning) => (
        <p key={warning} class="note warning">
          <Icon name="warning" size={14} /> {warning}
        </p>
      ))}
      <SandboxImage runner={runner} />
      <dl class="fact-grid">
        <Fact name="Slots">
          <meter
            min={0}
            max={Math.max(1, runner.slots.total)}
            value={busy}
            aria-label="Slots in use"
          />
          {busy} of {runner.slots.total} in use
        </Fact>
        <Fact name="Isolation">
          {isWeak(runner) && <Icon name="warning" size={14} />}
          {ISOLATION[runner.isolationLevel ?? runner.isolation ?? 'unknown']}
        </Fact>
        <Fact name="Version" class="mono">
          {runner.version}
        </Fact>
        <Fact name={runner.engines.length > 1 ? 'Engines' : 'Engine'} class="wrap">
          {runner.engines.length === 0 && 'None'}
          <span>
            {runner.engines.map(({ name, version, experimental, state, problem }, index) => (
              <span key={name}>
                {index > 0 && ', '}
                <span class="mono">
                  {name} {plainVersion(version)}
                </span>
                {experimental && ' (experimental)'}
                {state !== undefined &&
                  ` (${AWAITED_ENGINE[state]}${problem ? `: ${problem}` : ''})`}
              </span>
            ))}
          </span>
        </Fact>
        <Fact name="Last seen">
          <LastSeen runner={runner} />
        </Fact>
        <Fact name="Lease">
          <Lease runner={runner} asOfMs={asOfMs} />
        </Fact>
        <Fact name="Joined">
          <Ago at={runner.joinedAt} />
        </Fact>
      </dl>
      <RunnerLoad runner={runner} />
      <RunnerActions runner={runner} />
    </section>
  );
}

/**
 * A connected runner is seen continuously, so no time is shown, which would only age with the
 * response.
 */
function LastSeen({ runner: { status, lastSeenAt } }: { runner: Runner }) {
  if (status === 'connected' || status === 'draining') return <>Now</>;
  return lastSeenAt === null ? <>Never</> : <Ago at={lastSeenAt} />;
}

/**
 * A lease is renewed long before its end, without an event to this page, so its expiry is judged at
 * the time of the response. A runner without attempts needs none.
 */
function Lease({ runner: { leaseUntil }, asOfMs }: RunnerPanelProps) {
  if (leaseUntil === null) return <>None needed</>;
  if (Date.parse(leaseUntil) >= asOfMs + serviceAheadMs()) return <>Active</>;
  return (
    <>
      Expired <Ago at={leaseUntil} />
    </>
  );
}

function isWeak({ isolation, isolationLevel }: Runner): boolean {
  const level = isolationLevel ?? isolation;
  return level === 'process' || level === 'open_container';
}

/** Texts for the isolation in force; `docker` is a runner that does not report its level. */
const ISOLATION = {
  container: 'Locked container per attempt',
  kernel: 'Container with its own kernel',
  open_container: 'Container with open network or system calls',
  docker: 'Container per attempt',
  process: 'None: agents run as plain processes',
  unknown: 'Not reported',
} as const;
