import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { eventStream } from '../../../api/event-stream.ts';
import { questionLine } from '../../../format/question-text.ts';
import { textOf } from '../../../format/text-of.ts';
import { eventReason } from '../../../format/attempt-reason.ts';
import { readStored, writeStored } from '../../../ui/stored.ts';

const KEY = 'switchyard.notify';

/** Whether notifications are turned on in this browser and still permitted. */
export function notifiesPerson(): boolean {
  return canNotify() && Notification.permission === 'granted' && readStored(KEY) !== null;
}

export function canNotify(): boolean {
  return 'Notification' in globalThis;
}

/**
 * Requests the browser's permission after a person's click, and shows a first notification. Returns
 * the reason as text when there will be none; null after success.
 */
export async function startNotifying(): Promise<string | null> {
  if (!isSecureContext) return 'Browsers notify only for pages over HTTPS or on this machine.';
  const permission = await Notification.requestPermission();
  if (permission !== 'granted') return refusalMessage(permission);
  try {
    notify({ identifier: KEY, title: 'Switchyard', body: 'Notifications are on.' });
  } catch {
    return 'This browser does not show notifications of open pages; most on phones do not.';
  }
  writeStored(KEY, 'yes');
  return null;
}

/** The browser stores a refusal, which only a person can revoke there. */
function refusalMessage(permission: NotificationPermission): string {
  return permission === 'denied'
    ? 'The browser blocks notifications from this site. Allow them in its site settings (the icon beside the address), then click the bell again.'
    : 'Notifications stay off: permission was not granted.';
}

/**
 * Shows a notification; a later one on the same issue replaces it. Throws where the browser allows
 * none from open pages.
 */
function notify({ identifier, title, body }: PersonNotice): Notification {
  return new Notification(title, { body, icon: '/icon-192.png', tag: identifier });
}

export function stopNotifying(): void {
  writeStored(KEY, null);
}

/**
 * Notifies a person that something needs them while this page is hidden; returns a function that
 * stops it.
 */
export function watchForPerson(open: (identifier: string) => void): () => void {
  return eventStream.subscribe((event) => {
    // Checked last, since the browser asks another process for it, and events come by the hundred.
    const notice = document.hidden ? personNotice(event) : null;
    if (notice === null || !notifiesPerson()) return;
    const notification = notify(notice);
    notification.onclick = () => {
      window.focus();
      open(notice.identifier);
      notification.close();
    };
  });
}

const LABELS: Record<string, string> = {
  'request.asked': 'has a question',
  'issue.blocked': 'is blocked',
  'issue.failed': 'failed',
};

type PersonNotice = { identifier: string; title: string; body: string };

/** The notification for an event; null when it can wait. */
export function personNotice(event: StreamEvent): PersonNotice | null {
  const label = LABELS[event.type];
  const { identifier } = event.data;
  if (label === undefined || typeof identifier !== 'string') return null;
  const body =
    event.type === 'request.asked'
      ? questionLine(textOf(event.data['question']))
      : eventReason(event.data) || 'It needs your attention.';
  return { identifier, title: `${identifier} ${label}`, body };
}
