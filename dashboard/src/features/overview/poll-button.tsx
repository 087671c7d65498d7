import { useMutation, useQueryClient } from '@tanstack/react-query';
import { askForPoll } from '../../api/actions.ts';
import { Icon } from '../../ui/marks/icon.tsx';
import { say, sayError } from '../../ui/overlays/toast.tsx';

/** Looks at the tracker now instead of at the next interval. */
export function PollButton() {
  const client = useQueryClient();
  const poll = useMutation({
    mutationFn: askForPoll,
    onSuccess: () => {
      say('Sync requested.');
      return client.invalidateQueries();
    },
    onError: sayError,
  });
  return (
    <button type="button" class="button" disabled={poll.isPending} onClick={() => poll.mutate()}>
      <Icon name="retry" size={14} /> Sync now
    </button>
  );
}
