import { lazy, Suspense } from 'preact/compat';
import { useCallback, useRef, useState } from 'preact/hooks';
import { Icon } from '../../../ui/marks/icon.tsx';
import { retryImport } from '../../../ui/data/retry-import.ts';
import { Modal } from '../../../ui/overlays/modal.tsx';
import { type ListHandle, PALETTE_LIST_ID } from './list-handle.ts';
import './palette.css';

export const loadPaletteList = () => retryImport(() => import('./palette-list.tsx'));
const PaletteList = lazy(() => loadPaletteList().then((module) => module.PaletteList));

/**
 * Searches all views, actions and data. The field appears at once and accepts text while the list
 * is still loading; Enter then takes effect once the list is there.
 */
export function Palette({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const list = useRef<ListHandle | null>(null);
  const entered = useRef(false);
  const onReady = useCallback((handle: ListHandle | null) => {
    list.current = handle;
    if (handle === null || !entered.current) return;
    entered.current = false;
    handle.run();
  }, []);
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === 'ArrowDown') list.current?.move(1);
    else if (event.key === 'ArrowUp') list.current?.move(-1);
    else if (event.key === 'Enter') {
      if (list.current === null) entered.current = true;
      else list.current.run();
    } else return;
    event.preventDefault();
  };
  return (
    <Modal title="Command palette" onClose={onClose} plain>
      <div class="palette">
        <label class="palette-input">
          <Icon name="search" />
          <input
            type="text"
            list={undefined}
            role="combobox"
            aria-label="Search everything"
            aria-expanded="true"
            aria-controls={PALETTE_LIST_ID}
            aria-activedescendant={chosen}
            autoFocus
            autoComplete="off"
            maxLength={200}
            placeholder="Search issues, settings, logs, documentation and actions"
            value={query}
            onInput={(event) => {
              entered.current = false;
              setQuery(event.currentTarget.value);
            }}
            onKeyDown={onKey}
          />
          <kbd>Esc</kbd>
        </label>
        <Suspense
          fallback={
            <p class="palette-none" role="status">
              Loading
            </p>
          }
        >
          <PaletteList query={query} onChosen={setChosen} onReady={onReady} onClose={onClose} />
        </Suspense>
      </div>
    </Modal>
  );
}
