import { useState } from 'preact/hooks';
import { readStoredJson, writeStored } from '../../../ui/stored.ts';

const KEY = 'switchyard.dismissed-notices';

/**
 * Notices that a person dismissed in this browser. Those whose cause has ended are removed when
 * another one is dismissed, and may be shown again after that.
 */
export function useDismissedNotices(shown: readonly { id: string }[]): {
  isDismissed(id: string): boolean;
  dismiss(id: string): void;
} {
  const [ids, setIds] = useState(read);
  const present = ids.filter((id) => shown.some((notice) => notice.id === id));
  return {
    isDismissed: (id) => present.includes(id),
    dismiss(id) {
      const now = [...present, id];
      setIds(now);
      writeStored(KEY, JSON.stringify(now));
    },
  };
}

function read(): string[] {
  const ids = readStoredJson(KEY);
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}
