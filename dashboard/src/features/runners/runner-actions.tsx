import type { Runner } from '@switchyard/shared/api/runner';
import { useQueryClient } from '@tanstack/react-query';
import { drainRunner, revokeRunner } from '../../api/actions.ts';
import { answer, api, at } from '../../api/api.ts';
import { runnersQuery } from '../../api/queries.ts';
import { plural } from '../../format/format-count.ts';
import { ConfirmButton } from '../../ui/overlays/confirm-button.tsx';
import { ActionButton } from '../../ui/action-button.tsx';

/** Buttons that drain a runner, return it to service, or revoke it. */
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
          small
          question={`Drain ${runner.name}?`}
          explanation={
            held === 0
              ? 'It receives no new work until you return it to service.'
              : `It receives no new work. ${plural(held, 'attempt')} can finish within 15 minutes; the rest continues on other runners.`
          }
          confirmLabel="Drain runner"
          action={() => settle(drainRunner)}
        />
      )}
      {runner.status === 'draining' && <Undrain runner={runner} />}
      <ConfirmButton
        label="Revoke"
        about={runner.name}
        icon="close"
        small
        question={`Revoke ${runner.name}?`}
        explanation={
          held === 0
            ? 'It is disconnected immediately and needs a new token to rejoin.'
            : `It is disconnected immediately and needs a new token to rejoin. ${plural(held, 'attempt')} will restart on other runners.`
        }
        confirmLabel="Revoke runner"
        danger
        action={() => settle(revokeRunner)}
      />
    </footer>
  );
}

function Undrain({ runner }: { runner: Runner }) {
  const param = { rid: at(runner.runnerId) };
  return (
    <ActionButton
      icon="retry"
      small
      action={() => answer(api.runners[':rid'].undrain.$post({ param }))}
      done={`${runner.name} is back in service.`}
      stale={[runnersQuery.queryKey]}
    >
      Return to service
      <span class="visually-hidden"> {runner.name}</span>
    </ActionButton>
  );
}
