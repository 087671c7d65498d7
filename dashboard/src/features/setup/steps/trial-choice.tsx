import { useMutation, useQueryClient } from '@tanstack/react-query';
import { runtimeQuery } from '../../../api/queries.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/marks/icon.tsx';
import { Problem } from '../../../ui/marks/problem.tsx';
import { refreshAndReport, type Setup, setValue } from '../queries.ts';

/** To see one's own repository become a pull request before there is a key: one click, and one back. */
export function TrialChoice({ setup }: { setup: Setup }) {
  const client = useQueryClient();
  const { onTrial } = setup.provider;
  const change = useMutation({
    mutationFn: (trial: boolean) => setValue('engine.trial', trial),
    onSuccess: async (_answer, trial) => {
      await client.invalidateQueries({ queryKey: runtimeQuery.queryKey });
      const words = trial ? 'On trial without a model.' : 'The trial has ended.';
      await refreshAndReport(client, 'provider', words);
    },
  });
  return (
    <section class="trial-choice" aria-label="Try without a model">
      <p class={onTrial ? 'note' : 'quiet'} role="status">
        {onTrial && <Icon name="help" size={14} />}
        <span>
          {onTrial
            ? 'On trial without a model: a script answers, adds a line to the README and marks all its work. Connect a provider for real work; a stored key is kept.'
            : 'No key at hand? A script can stand in for the model: runner, engine, branch and pull request are real, its change is harmless, and all its work is marked.'}
        </span>
      </p>
      <div class="submit-row">
        <Button
          aria-disabled={change.isPending}
          onClick={() => change.isPending || change.mutate(!onTrial)}
        >
          {onTrial ? 'End the trial' : 'Try without a model'}
        </Button>
      </div>
      <Problem error={change.error} />
    </section>
  );
}
