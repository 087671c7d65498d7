import { useState } from 'preact/hooks';

const KEY = 'switchyard.dismissed-notices';

/**
 * Notices that a person has seen enough of, in this browser. One whose cause has ended is forgotten,
 * so that it is shown when it comes back.
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
      write(now);
    },
  };
}

function read(): string[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}

function write(ids: string[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(ids));
  } catch {
    // Without storage it is dismissed until the page is loaded again.
    return;
  }
}
