import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'preact/hooks';
import { showToast } from '../../../ui/overlays/toasts.tsx';
import {
  canNotify,
  notifiesPerson,
  startNotifying,
  stopNotifying,
  watchForPerson,
} from './notify-person.ts';
import { IconButton } from '../../../ui/icon-button.tsx';

/** Turns the browser's own notifications on and off; off by default. */
export function NotifyButton() {
  const router = useRouter();
  const [on, setOn] = useState(notifiesPerson);
  useEffect(
    () =>
      watchForPerson(
        (id) => void router.navigate({ to: '/issues/$id', params: { id }, search: {} }),
      ),
    [router],
  );
  if (!canNotify()) return null;
  const toggle = async () => {
    if (on) stopNotifying();
    else {
      const why = await startNotifying();
      if (why !== null) return showToast(why, 'bad');
      showToast('Browser notifications are on.');
    }
    setOn(!on);
  };
  return (
    <IconButton
      icon="bell"
      label="Notify me when something needs me"
      class={on ? 'icon-button on' : 'icon-button'}
      aria-pressed={on}
      onClick={() => void toggle()}
    />
  );
}
