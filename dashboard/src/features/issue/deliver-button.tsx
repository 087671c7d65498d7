import { useQueryClient } from '@tanstack/react-query';
import { retryDelivery } from '../../api/actions.ts';
import { ConfirmButton } from '../../ui/overlays/confirm-button.tsx';
import { refresh } from '../../api/read-query.ts';

/** Repeats a failed delivery of stored work, without an agent. */
export function DeliverButton({ identifier }: { identifier: string }) {
  const client = useQueryClient();
  const deliver = async () => {
    await retryDelivery(identifier);
    void client.invalidateQueries({ queryKey: ['issue', identifier] });
    void refresh(client, 'pull-requests');
  };
  return (
    <ConfirmButton
      label="Deliver again"
      icon="pull"
      question={`Deliver the work of ${identifier} again?`}
      explanation="Pushes the saved commit and opens its pull request. No agent runs."
      confirmLabel="Deliver again"
      action={deliver}
    />
  );
}
