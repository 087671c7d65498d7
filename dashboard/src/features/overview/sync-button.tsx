import { useMutation, useQueryClient } from '@tanstack/react-query';
import { requestSync } from '../../api/actions.ts';
import { showToast, showErrorToast } from '../../ui/overlays/toast.tsx';
import { Button } from '../../ui/button.tsx';

/** Looks at the tracker now instead of at the next interval. */
export function SyncButton() {
  const client = useQueryClient();
  const poll = useMutation({
    mutationFn: requestSync,
    onSuccess: () => {
      showToast('Sync requested.');
      return client.invalidateQueries();
    },
    onError: showErrorToast,
  });
  return (
    <Button icon="retry" disabled={poll.isPending} onClick={() => poll.mutate()}>
      Sync now
    </Button>
  );
}
