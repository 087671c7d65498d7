import type { Runner } from '@switchyard/shared/api/runner';
import { useQueryClient } from '@tanstack/react-query';
import { drainRunner, revokeRunner } from '../../api/actions.ts';
import { plural } from '../../format/number.ts';
import { ConfirmButton } from '../../ui/confirm.tsx';

/** Taking a runner out of service: after its work is done, or for good and at once. */
export function RunnerActions({ runner }: { runner: Runner }) {
  const client = useQueryClient();
  const settle = async (action: (id: string) => Promise<unknown>) => {
    await action(runner.runnerId);
    await client.invalidateQueries({ queryKey: ['runners'] });
  };
  if (runner.status === 'revoked') return null;
  const held = runner.attempts.length;
  return (
    <footer class="runner-actions">
      {runner.status === 'connected' && (
        <ConfirmButton
          label="Drain"
          icon="pause"
          class="button small"
          question={`Drain ${runner.name}?`}
          explanation={
            held === 0
              ? 'It is offered nothing new until it is started again.'
              : `It is offered nothing new. ${plural(held, 'attempt')} may finish for 15 minutes; what is left goes on elsewhere.`
          }
          confirmLabel="Drain it"
          action={() => settle(drainRunner)}
        />
      )}
      <ConfirmButton
        label="Revoke"
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
