import type { SetupStep } from '@switchyard/shared/api/admin/setup';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { runtimeQuery } from '../../api/queries.ts';
import { Elapsed } from '../../ui/marks/ago.tsx';
import { Badge } from '../../ui/marks/badge.tsx';
import { Icon } from '../../ui/marks/icon.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { QueryView } from '../../ui/data/query-view.tsx';
import { LiveCheck } from './live-check.tsx';
import { type Setup, setupQuery } from './queries.ts';
import { StepList } from './step-list.tsx';
import { STEPS } from './steps.tsx';
import './setup.css';

/**
 * The setup from an empty service to a first pull request, step by step. All of it comes from the
 * service, so it can be left and resumed at any point, also by another person.
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
  // A person who returns from a sign-in at the tracker continues at the same step.
  const cameBack = error !== undefined || (code !== undefined && state !== undefined);
  // Stored, so that a step stays open when it is completed.
  const [firstOpen] = useState(() => firstToDo(setup)?.step ?? 'issue');
  const step = stepNamed(setup, cameBack ? 'tracker' : wanted) ?? stepNamed(setup, firstOpen);
  return step === undefined ? null : <Steps setup={setup} step={step} />;
}

function Steps({ setup, step }: { setup: Setup; step: SetupStep }) {
  const section = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useFocusOnArrival(step, section, heading);
  const noteSubmit = useGoOn(setup, step);
  const { title, about, body: Body } = STEPS[step.step];
  const beside = setup.steps.filter(({ isMain }) => isMain === step.isMain);
  const position = beside.findIndex(({ step: name }) => name === step.step);
  const [previous, next] = [beside[position - 1], beside[position + 1]];
  const onwards = step.done ? 'button primary' : 'button';
  return (
    <div class="wizard">
      <StepList setup={setup} shown={step} />
      <section
        ref={section}
        class="panel wizard-step"
        aria-labelledby="step-title"
        onSubmit={noteSubmit}
      >
        <header>
          <h2 id="step-title" ref={heading} tabIndex={-1}>
            {title}
          </h2>
          <Standing of={step} />
        </header>
        <p class="about">{about}</p>
        <Body key={step.step} setup={setup} />
        {/* Without a repository, the form shows everything. */}
        {(step.step !== 'repository' || setup.firstRepository !== null) && (
          <LiveCheck key={`check:${step.step}`} step={step.step} />
        )}
        <footer>
          {previous !== undefined && (
            <Link to="/setup" search={{ step: previous.step }} className="button">
              <Icon name="back" size={14} /> {STEPS[previous.step].title}
            </Link>
          )}
          <span class="spacer" />
          {next === undefined ? (
            <Link to="/board" className={onwards}>
              Go to board
            </Link>
          ) : (
            <Link to="/setup" search={{ step: next.step }} className={onwards}>
              {step.done ? '' : 'Skip to '}
              {STEPS[next.step].title} <Icon name="chevron" size={14} />
            </Link>
          )}
        </footer>
      </section>
    </div>
  );
}

function stepNamed(setup: Setup, name: string | undefined): SetupStep | undefined {
  return setup.steps.find(({ step }) => step === name);
}

function firstToDo(setup: Setup): SetupStep | undefined {
  return setup.steps.find(({ isMain, done }) => isMain && !done);
}

/**
 * Focuses a step when it is opened: its first empty required or password field, otherwise its
 * heading, except at the first load.
 */
function useFocusOnArrival(
  { step }: SetupStep,
  section: RefObject<HTMLElement | null>,
  heading: RefObject<HTMLHeadingElement | null>,
): void {
  const isFirst = useRef(true);
  useEffect(() => {
    const fields = [...(section.current?.querySelectorAll('input, textarea') ?? [])];
    const empty = fields.find(
      (field): field is HTMLInputElement | HTMLTextAreaElement =>
        (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) &&
        field.value === '' &&
        (field.required || field.type === 'password'),
    );
    // On a touch screen, the keyboard would cover the page.
    const field = matchMedia('(pointer: coarse)').matches ? undefined : empty;
    if (field !== undefined) field.focus();
    else if (!isFirst.current) heading.current?.focus();
    isFirst.current = false;
  }, [step]);
}

/**
 * Opens the next step after a step's form was sent and its check has passed, unless there are
 * warnings to read. Returns a function that records the sending.
 */
function useGoOn(setup: Setup, { step, state, isMain, warnings }: SetupStep): () => void {
  const navigate = useNavigate();
  const sent = useRef<string | null>(null);
  const next = firstToDo(setup)?.step;
  useEffect(() => {
    if (state === 'failed' || sent.current !== step) sent.current = null;
    if (sent.current === null || state !== 'done') return;
    sent.current = null;
    if (isMain && warnings.length === 0 && next !== undefined) {
      void navigate({ to: '/setup', search: { step: next } });
    }
  }, [step, state]);
  return () => {
    sent.current = state === 'done' ? null : step;
  };
}

function Standing({ of: { state, warnings } }: { of: SetupStep }) {
  if (state === 'done' && warnings.length > 0) {
    return <Badge tone="warning">Done, with a warning</Badge>;
  }
  if (state === 'done') return <Badge tone="good">Done</Badge>;
  if (state === 'failed') return <Badge tone="warning">Check failed</Badge>;
  return <Badge tone="quiet">{state === 'waiting' ? 'Not checked yet' : 'To do'}</Badge>;
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
