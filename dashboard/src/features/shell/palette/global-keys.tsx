import { useRouter } from '@tanstack/react-router';
import { flushSync, lazy, Suspense } from 'preact/compat';
import { useCallback, useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { retryImport } from '../../../ui/data/retry-import.ts';
import {
  listenForShortcuts,
  useHeldShortcuts,
  useShortcuts,
} from '../../../ui/overlays/shortcuts.ts';
import { PALETTE_ASKED } from './ask-for-palette.ts';
import { loadPaletteList, Palette } from './palette.tsx';
import { VIEWS } from '../views.ts';

const loadKeyHelp = () => retryImport(() => import('./key-help.tsx'));
const KeyHelp = lazy(() => loadKeyHelp().then((module) => module.KeyHelp));

/** Delay before the palette and the help are preloaded; the page's own data comes first. */
const PRELOAD_MS = 1_000;

/** Shortcuts of every page: the palette, the help and each view. */
export function GlobalKeys() {
  const router = useRouter();
  const [open, setOpen] = useState<'palette' | 'help' | null>(null);
  const close = useCallback(() => setOpen(null), []);
  // Synchronous, since the next key is meant for the palette's field.
  const openPalette = () => flushSync(() => setOpen('palette'));
  useLayoutEffect(listenForShortcuts, []);
  useHeldShortcuts(open !== null);
  // Preloads both, since keys typed right after the shortcut are meant for them.
  useEffect(() => {
    const timer = setTimeout(() => {
      // After a failure, it is loaded on demand.
      void Promise.allSettled([loadPaletteList(), loadKeyHelp()]);
    }, PRELOAD_MS);
    return () => clearTimeout(timer);
  }, []);
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      openPalette();
    };
    const onAsk = openPalette;
    document.addEventListener('keydown', onKey);
    document.addEventListener(PALETTE_ASKED, onAsk);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener(PALETTE_ASKED, onAsk);
    };
  }, []);
  useShortcuts([
    {
      keys: '?',
      label: 'Show keyboard shortcuts',
      group: 'Everywhere',
      run: () => setOpen('help'),
    },
    { keys: '/', label: 'Search everything', group: 'Everywhere', run: openPalette },
    ...VIEWS.map((view) => ({
      keys: `g ${view.chord}`,
      label: `Go to ${view.label}`,
      group: 'Go to',
      run: () => void router.navigate({ to: view.to }),
    })),
  ]);
  return (
    <>
      {open === 'palette' && <Palette onClose={close} />}
      <Suspense fallback={null}>{open === 'help' && <KeyHelp onClose={close} />}</Suspense>
    </>
  );
}
