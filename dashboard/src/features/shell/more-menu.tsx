import { useRouterState } from '@tanstack/react-router';
import { flushSync } from 'preact/compat';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../ui/marks/icon.tsx';
import { Modal } from '../../ui/overlays/modal.tsx';
import { askForPalette } from './palette/ask-for-palette.ts';
import { NotifyButton } from './rail/notify-button.tsx';
import { RailLink, ReferenceLinks, SavedViewLinks } from './rail/rail-links.tsx';
import { ThemeButton } from './rail/theme-button.tsx';
import { VIEWS } from './views.ts';
import { Button } from '../../ui/button.tsx';

/** On a phone: all views, in a sheet. */
export function MoreMenu() {
  const [open, setOpen] = useState(false);
  const path = useRouterState({ select: (state) => state.location.href });
  const shownPath = useRef(path);
  useEffect(() => {
    if (shownPath.current !== path) setOpen(false);
    shownPath.current = path;
  }, [path]);
  const search = () => {
    flushSync(() => setOpen(false));
    askForPalette();
  };
  return (
    <>
      <button type="button" class="rail-link more" onClick={() => setOpen(true)}>
        <Icon name="more" />
        <span>More</span>
      </button>
      {open && (
        <Modal title="All views" onClose={() => setOpen(false)}>
          <ul class="all-views">
            {VIEWS.map((view) => (
              <RailLink key={view.to} view={view} />
            ))}
            <SavedViewLinks />
            <ReferenceLinks />
          </ul>
          <div class="sheet-tools">
            <Button icon="search" onClick={search}>
              Search
            </Button>
            <NotifyButton />
            <ThemeButton />
          </div>
        </Modal>
      )}
    </>
  );
}
