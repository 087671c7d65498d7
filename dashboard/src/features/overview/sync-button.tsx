import { requestSync } from '../../api/actions.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { useCanSync } from './use-can-sync.ts';

/**
 * Syncs with the tracker now instead of at the next interval; nothing without an external tracker.
 */
export function SyncButton() {
  if (!useCanSync()) return null;
  return (
    <ActionButton icon="retry" action={requestSync} done="Sync requested." stale={EVERYTHING}>
      Sync now
    </ActionButton>
  );
}

/** A prefix without parts, which every query key has. */
const EVERYTHING = [[]];
