import type { Runner } from '@switchyard/shared/api/runner';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { drainRunner, revokeRunner } from '../../api/actions.ts';
import { answer, api, at } from '../../api/client.ts';
import { runnersQuery } from '../../api/queries.ts';
import { plural } from '../../format/number.ts';
import { ConfirmButton } from '../../ui/overlays/confirm.tsx';
import { Icon } from '../../ui/marks/icon.tsx';
import { say, sayError } from '../../ui/overlays/toast.tsx';

/** Taking a runner out of service, back into it, or away for good. */
export function RunnerActions({ runner }: { runner: Runner }) {
  const client = useQueryClient();
  const settle = async (action: (id: string) => Promise<unknown>) => {
    await action(runner.runnerId);
    await client.invalidateQueries({ queryKey: runnersQuery.queryKey });
  };
  if (runner.status === 'revoked') return null;
  const held = runner.attempts.length;
  return (
    <footer class="runner-actions">
      {runner.status === 'connected' && (
        <ConfirmButton
          label="Drain"
          about={runner.name}
          icon="pause"
          class="button small"
          question={`Drain ${runner.name}?`}
          explanation={
            held === 0
              ? 'It is offered nothing new until it is taken back into service.'
              : `It is offered nothing new. ${plural(held, 'attempt')} may finish for 15 minutes; what is left goes on elsewhere.`
          }
          confirmLabel="Drain it"
          action={() => settle(drainRunner)}
        />
      )}
      {runner.status === 'draining' && <Undrain runner={runner} />}
      <ConfirmButton
        label="Revoke"
        about={runner.name}
        icon="close"
        class="button small"
        question={`Revoke ${runner.name}?`}
        explanation={
          held === 0
            ? 'It is cut off at once and cannot come back without a new token.'
            : `It is cut off at once and cannot come back without a new token. ${plural(held, 'attempt')} will be started again elsewhere.`
        }
        confirmLabel="Revoke it"
        danger
        action={() => settle(revokeRunner)}
      />
    </footer>
  );
}

function Undrain({ runner }: { runner: Runner }) {
  const client = useQueryClient();
  const undrain = useMutation({
    mutationFn: () =>
      answer(api.runners[':rid'].undrain.$post({ param: { rid: at(runner.runnerId) } })),
    onSuccess: () => say(`${runner.name} takes work again.`),
    onError: sayError,
    onSettled: () => client.invalidateQueries({ queryKey: runnersQuery.queryKey }),
  });
  return (
    <button
      type="button"
      class="button small"
      disabled={undrain.isPending}
      onClick={() => undrain.mutate()}
    >
      <Icon name="retry" size={14} /> Back into service
      <span class="visually-hidden"> {runner.name}</span>
    </button>
  );
}
