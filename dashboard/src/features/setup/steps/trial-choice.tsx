import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Form } from '../../../ui/forms/form.tsx';
import { SubmitRow } from '../../../ui/forms/submit-row.tsx';
import { Icon } from '../../../ui/marks/icon.tsx';
import { refreshAndReport, type Setup, setValue } from '../queries.ts';

/** Offers a trial on one's own repository before there is a key: one click to start, one to end. */
export function TrialChoice({ setup }: { setup: Setup }) {
  const client = useQueryClient();
  const { onTrial } = setup.provider;
  const change = useMutation({
    mutationFn: (trial: boolean) => setValue('engine.trial', trial),
    onSuccess: async (_answer, trial) => {
      const message = trial ? 'On trial without a model.' : 'The trial has ended.';
      await refreshAndReport(client, 'provider', message);
    },
  });
  const choice = (
    <section class="trial-choice" aria-label="Try without a model">
      <p class={onTrial ? 'note' : 'quiet'} role="status">
        {onTrial && <Icon name="help" size={14} />}
        <span>
          {onTrial
            ? 'On trial without a model: a script answers, adds a line to the README and marks all its work. Connect a provider for real work; a stored key is kept.'
            : 'No key at hand? A script can stand in for the model: runner, engine, branch and pull request are real, its change is harmless, and all its work is marked.'}
        </span>
      </p>
      {/* A form, so that sending it opens the next step. */}
      <Form onSubmit={() => change.mutate(!onTrial)}>
        <SubmitRow
          label={onTrial ? 'End the trial' : 'Try without a model'}
          busy={onTrial ? 'Ending the trial' : 'Beginning the trial'}
          plain
          of={change}
        />
      </Form>
    </section>
  );
  // With a configured provider, the choice is collapsed.
  const hasProvider = setup.steps.some(({ step, done }) => step === 'provider' && done);
  if (onTrial || !hasProvider) return choice;
  return (
    <details>
      <summary>Try without a model</summary>
      <div class="more-of-step">{choice}</div>
    </details>
  );
}
