import { requestSync } from '../../api/actions.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { useCanSync } from './use-can-sync.ts';

/** Looks at the tracker now instead of at the next interval; nothing where there is none elsewhere. */
export function SyncButton() {
  if (!useCanSync()) return null;
  return (
    <ActionButton icon="retry" action={requestSync} done="Sync requested." stale={EVERYTHING}>
      Sync now
    </ActionButton>
  );
}

/** No first words: every key begins with them. */
const EVERYTHING = [[]];
