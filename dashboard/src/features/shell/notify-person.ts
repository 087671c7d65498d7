import type { StreamEvent } from '@switchyard/shared/api/attempt';
import { eventStream } from '../../api/event-stream.ts';
import { reasonWords } from '../../format/words.ts';

const KEY = 'switchyard.notify';

/** Whether this browser was asked to tell, and still may. */
export function notifiesPerson(): boolean {
  try {
    return (
      canNotify() && Notification.permission === 'granted' && localStorage.getItem(KEY) !== null
    );
  } catch {
    return false;
  }
}

export function canNotify(): boolean {
  return 'Notification' in globalThis;
}

/** Asks the browser's permission, at a click of the person; false when it was refused. */
export async function startNotifying(): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false;
  localStorage.setItem(KEY, 'yes');
  return true;
}

export function stopNotifying(): void {
  localStorage.removeItem(KEY);
}

/** Tells who looks elsewhere that something needs a person; returns what stops it. */
export function watchForPerson(open: (identifier: string) => void): () => void {
  return eventStream.subscribe((event) => {
    const told = notifiesPerson() && document.hidden ? tellingOf(event) : null;
    if (told === null) return;
    const notification = new Notification(told.title, {
      body: told.body,
      icon: '/favicon.svg',
      // One per issue: a later one takes the place of an earlier one.
      tag: told.identifier,
    });
    notification.onclick = () => {
      window.focus();
      open(told.identifier);
      notification.close();
    };
  });
}

const WORDS: Record<string, string> = {
  'request.asked': 'asks you something',
  'issue.blocked': 'is blocked',
  'issue.failed': 'failed',
};

type Telling = { identifier: string; title: string; body: string };

/** What an event means to a person; null when it can wait. */
export function tellingOf(event: StreamEvent): Telling | null {
  const words = WORDS[event.type];
  const { identifier, reason } = event.data;
  if (words === undefined || typeof identifier !== 'string') return null;
  const body = typeof reason === 'string' ? reasonWords(reason) : 'It waits for a person.';
  return { identifier, title: `${identifier} ${words}`, body };
}
