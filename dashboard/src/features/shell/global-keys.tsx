import { useRouter } from '@tanstack/react-router';
import { lazy, Suspense } from 'preact/compat';
import { useEffect, useState } from 'preact/hooks';
import { listenForShortcuts, useShortcuts } from '../../ui/shortcuts.ts';
import { VIEWS } from './views.ts';

const Palette = lazy(() => import('./palette.tsx').then((module) => module.Palette));
const KeyHelp = lazy(() => import('./key-help.tsx').then((module) => module.KeyHelp));

/** Keys that work on every page: the palette, the help and the way to each view. */
export function GlobalKeys() {
  const router = useRouter();
  const [open, setOpen] = useState<'palette' | 'help' | null>(null);
  // A dialog tells that it closed a moment after it did; by then the other may be open.
  const close = (closed: 'palette' | 'help') =>
    setOpen((shown) => (shown === closed ? null : shown));
  useEffect(listenForShortcuts, []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      setOpen('palette');
    };
    const onAsk = () => setOpen('palette');
    document.addEventListener('keydown', onKey);
    document.addEventListener('switchyard:palette', onAsk);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('switchyard:palette', onAsk);
    };
  }, []);
  useShortcuts([
    { keys: '?', label: 'Show all keys', group: 'Everywhere', run: () => setOpen('help') },
    { keys: '/', label: 'Search everything', group: 'Everywhere', run: () => setOpen('palette') },
    ...VIEWS.map((view) => ({
      keys: `g ${view.chord}`,
      label: `Go to ${view.label}`,
      group: 'Go to',
      run: () => void router.navigate({ to: view.to }),
    })),
  ]);
  return (
    <Suspense fallback={null}>
      {open === 'palette' && <Palette onClose={() => close('palette')} />}
      {open === 'help' && <KeyHelp onClose={() => close('help')} />}
    </Suspense>
  );
}
