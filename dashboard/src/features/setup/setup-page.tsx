import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'preact/hooks';
import { runtimeQuery } from '../../api/queries.ts';
import { Elapsed } from '../../ui/marks/ago.tsx';
import { Badge } from '../../ui/marks/badge.tsx';
import { Icon } from '../../ui/marks/icon.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { QueryView } from '../../ui/data/query-view.tsx';
import { LiveCheck } from './live-check.tsx';
import { type Setup, setupQuery } from './queries.ts';
import { StepList, useStanding } from './step-list.tsx';
import { FIRST_STEP, STEPS } from './steps.tsx';
import './setup.css';

/**
 * From nothing to a first pull request, step by step. Everything it shows comes from the service,
 * so it can be left at any point and taken up again, also by somebody else.
 */
export function SetupPage() {
  const setup = useQuery(setupQuery);
  return (
    <Page title="Setup">
      <div class="setup-page">
        <QueryView query={setup} skeletonLines={9}>
          {(found) => <Wizard setup={found} />}
        </QueryView>
        <About />
      </div>
    </Page>
  );
}

function Wizard({ setup }: { setup: Setup }) {
  const { step: wanted, code, state, error } = useSearch({ from: '/setup' });
  // Who comes back from signing in to the tracker goes on where they left.
  const cameBack = error !== undefined || (code !== undefined && state !== undefined);
  // Held on to: a step that has just been done is still the one that is looked at.
  const [firstOpen] = useState(() => setup.steps.find(({ done }) => !done)?.step ?? 'issue');
  const name = cameBack ? 'tracker' : (wanted ?? firstOpen);
  const position = Math.max(
    0,
    STEPS.findIndex((step) => step.name === name),
  );
  const step = STEPS[position] ?? FIRST_STEP;
  const standing = useStanding(setup, step.name);
  const heading = useRef<HTMLHeadingElement>(null);
  const entered = useRef(name);
  useEffect(() => {
    if (entered.current !== name) heading.current?.focus();
    entered.current = name;
  }, [name]);
  const isDone = standing === 'done' || standing === 'warned';
  const Body = step.body;
  const next = STEPS[position + 1];
  const previous = STEPS[position - 1];
  return (
    <div class="wizard">
      <StepList setup={setup} shown={step.name} />
      <section class="panel wizard-step" aria-labelledby="step-title">
        <header>
          <h2 id="step-title" ref={heading} tabIndex={-1}>
            {step.title}
          </h2>
          <Standing of={standing} />
        </header>
        <p class="about">{step.about}</p>
        <Body key={step.name} setup={setup} />
        <LiveCheck key={`check:${step.name}`} step={step.name} />
        <footer>
          {previous !== undefined && (
            <Link to="/setup" search={{ step: previous.name }} className="button">
              <Icon name="back" size={14} /> {previous.title}
            </Link>
          )}
          <span class="spacer" />
          {next === undefined ? (
            <Link to="/board" className={isDone ? 'button primary' : 'button'}>
              Go to board
            </Link>
          ) : (
            <Link
              to="/setup"
              search={{ step: next.name }}
              className={isDone ? 'button primary' : 'button'}
            >
              {isDone ? '' : 'Skip to '}
              {next.title} <Icon name="chevron" size={14} />
            </Link>
          )}
        </footer>
      </section>
    </div>
  );
}

function Standing({ of }: { of: ReturnType<typeof useStanding> }) {
  if (of === 'done') return <Badge tone="good">Done</Badge>;
  if (of === 'warned') return <Badge tone="warning">Done, with a warning</Badge>;
  if (of === 'refused') return <Badge tone="warning">Check failed</Badge>;
  return <Badge tone="quiet">To do</Badge>;
}

function About() {
  const { data } = useQuery(runtimeQuery);
  if (data === undefined) return null;
  return (
    <p class="quiet setup-foot">
      Switchyard {data.version} · {data.instance.role} · up for{' '}
      <Elapsed from={Date.parse(data.started_at)} to={null} />
      {data.data_dir !== null && (
        <>
          {' '}
          · data in <span class="mono wrap">{data.data_dir}</span>
        </>
      )}
    </p>
  );
}
