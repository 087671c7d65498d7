import { shownRepository } from '@switchyard/shared/text/repository-url';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'preact/hooks';
import { usageQuery } from '../../../api/queries.ts';
import { ApiError } from '../../../api/api.ts';
import { Form } from '../../../ui/forms/form.tsx';
import { useDraftChoice } from '../../../ui/forms/form-draft.ts';
import { textIn } from '../../../ui/forms/form-text.ts';
import { SubmitRow } from '../../../ui/forms/submit-row.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';
import { Icon } from '../../../ui/marks/icon.tsx';
import { Problem } from '../../../ui/marks/problem.tsx';
import { COST_DAYS } from '../../costs/missing-prices.tsx';
import { addRoute, createTestIssue, refreshSetup, type Setup } from '../queries.ts';
import { Choice } from './choice.tsx';
import { STOPPED, TestIssue } from './test-issue.tsx';
import { Button } from '../../../ui/button.tsx';

const ANOTHER = 'Create another test issue';
const KINDS = [
  { id: 'ready', label: 'A ready test issue', about: 'Adds one line to the README.' },
  { id: 'own', label: 'My own words', about: 'Something small that you want done.' },
] as const;
type Kind = (typeof KINDS)[number]['id'];
const KIND_IDS = KINDS.map(({ id }) => id);

/** One real issue: created and followed on this page, and stored by the service. */
export function IssueStep({ setup }: { setup: Setup }) {
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [kind, setKind] = useDraftChoice<Kind>('setup.issue', KIND_IDS, 'ready');
  const wantsTitle = useRef(false);
  const isPriced = useIsPriced(setup.provider.model);
  const create = useMutation({
    mutationFn: createTestIssue,
    onSuccess: () => form.current?.reset(),
    onSettled: () => refreshSetup(client),
  });
  const noRoute = create.error instanceof ApiError && create.error.code === 'no_route';
  const status = setup.testIssue?.status ?? null;
  const isDone = setup.steps.some(({ step, done }) => step === 'issue' && done);
  const isFirst = status === null;
  const isOwn = kind === 'own';
  // A running test issue already shows the state; a second one would only wait behind it.
  const isUnderWay = status !== null && status !== 'completed' && !STOPPED.includes(status);
  useEffect(() => {
    if (wantsTitle.current) form.current?.querySelector<HTMLInputElement>('[name=title]')?.focus();
    wantsTitle.current = false;
  }, [kind]);
  const given = (): Parameters<typeof createTestIssue>[0] => {
    if (form.current === null || !isOwn) return {};
    const description = textIn(form.current, 'description');
    // An emptied description is intended and is not replaced by the proposed one.
    return { title: textIn(form.current, 'title'), description };
  };
  const label = isOwn ? 'Create the issue' : isFirst ? 'Create the test issue' : ANOTHER;
  return (
    <>
      {setup.testIssue !== null && (
        <TestIssue issue={setup.testIssue} onTrial={setup.testIssueOnTrial} awaitsModel={!isDone} />
      )}
      {(status !== 'completed' || !isDone) && <StillOpen setup={setup} />}
      {isFirst && (
        <p>
          {setup.provider.onTrial
            ? 'A script stands in for the model, so it costs nothing.'
            : `It takes a minute or two${isPriced ? '; the ready one costs a few cents' : ''}.`}
        </p>
      )}
      {!isUnderWay && (
        <Form formRef={form} onSubmit={() => create.mutate(given())}>
          <Choice
            name="issue"
            label="Issue"
            options={KINDS}
            value={kind}
            onChange={(next) => {
              // Keeps keyboard users among the choices.
              wantsTitle.current =
                next === 'own' && form.current?.querySelector(':focus-visible') === null;
              setKind(next);
            }}
          />
          {isOwn && (
            <>
              <TextField label="Title" prose name="title" required maxLength={500} />
              <label class="stack">
                Description
                <textarea class="field" name="description" rows={4} maxLength={20_000} />
              </label>
            </>
          )}
          <SubmitRow label={label} busy="Creating" plain={!isFirst && isDone} of={create} />
        </Form>
      )}
      {noRoute && <RouteForTests setup={setup} onAdded={() => create.mutate(given())} />}
    </>
  );
}

/** Whether the model is known to cost something. */
function useIsPriced(model: string): boolean {
  const models = useQuery(usageQuery(COST_DAYS)).data?.prices.models ?? [];
  return models.some((one) => one.model === model && one.price !== null && one.price.output > 0);
}

/** Conditions that may delay the test issue or make it fail, with links. */
function StillOpen({ setup }: { setup: Setup }) {
  const open = setup.steps.filter(({ step, isMain, done }) => isMain && !done && step !== 'issue');
  if (open.length === 0) return null;
  return (
    <div class="still-open">
      <p class="note warning">
        <Icon name="warning" size={14} /> Remaining steps:
      </p>
      <ul>
        {open.map(({ step, summary }) => (
          <li key={step}>
            <Link to="/setup" search={{ step }}>
              {summary}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

/**
 * A repository for the test issue, which is in the built-in tracker, whose prefix may have no route
 * yet.
 */
function RouteForTests({ setup, onAdded }: { setup: Setup; onAdded: () => void }) {
  const prefix = `${setup.localPrefix}-`;
  const url = setup.firstRepository;
  const add = useMutation({
    mutationFn: () => addRoute({ prefix, url: url ?? '' }),
    onSuccess: onAdded,
  });
  if (url === null) {
    return (
      <Link to="/setup" search={{ step: 'repository' }}>
        Add a repository first
      </Link>
    );
  }
  return (
    <div>
      <Button aria-disabled={add.isPending} onClick={() => add.isPending || add.mutate()}>
        Route {prefix} issues to {shownRepository(url)}
      </Button>
      <Problem error={add.error} />
    </div>
  );
}
