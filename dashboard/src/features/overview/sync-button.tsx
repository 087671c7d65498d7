import { requestSync } from '../../api/actions.ts';
import { ActionButton } from '../../ui/action-button.tsx';

/** Looks at the tracker now instead of at the next interval. */
export function SyncButton() {
  return (
    <ActionButton icon="retry" action={requestSync} done="Sync requested." stale={EVERYTHING}>
      Sync now
    </ActionButton>
  );
}

/** No first words: every key begins with them. */
const EVERYTHING = [[]];
