import { useMutation, useQueryClient } from '@tanstack/react-query';
import { requestSync } from '../../api/actions.ts';
import { Icon } from '../../ui/marks/icon.tsx';
import { showToast, showErrorToast } from '../../ui/overlays/toast.tsx';

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
    <button type="button" class="button" disabled={poll.isPending} onClick={() => poll.mutate()}>
      <Icon name="retry" size={14} /> Sync now
    </button>
  );
}
