import { useRouterState } from '@tanstack/react-router';
import { flushSync } from 'preact/compat';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../ui/marks/icon.tsx';
import { Modal } from '../../ui/overlays/modal.tsx';
import { askForPalette } from './palette/ask-for-palette.ts';
import { NotifyButton } from './rail/notify-button.tsx';
import { RailLink, ReferenceLinks, SavedViewLinks, UnreadCount } from './rail/rail-links.tsx';
import { ThemeButton } from './rail/theme-button.tsx';
import { useViewGroups } from './rail/use-view-groups.ts';
import { Button } from '../../ui/button.tsx';

/** All views in a sheet, on a phone. */
export function MoreMenu() {
  const [open, setOpen] = useState(false);
  const { work, settings, index, onPhone } = useViewGroups();
  const path = useRouterState({ select: (state) => state.location.href });
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const isBehind = [...work, ...settings, index].some(
    ({ to }) => to === pathname && !onPhone.includes(to),
  );
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
      <button
        type="button"
        class="rail-link more"
        aria-current={isBehind ? 'true' : undefined}
        onClick={() => setOpen(true)}
      >
        <Icon name="more" />
        <span>More</span>
        <UnreadCount />
      </button>
      {open && (
        <Modal title="All views" onClose={() => setOpen(false)}>
          <h3>Work</h3>
          <ul class="all-views">
            {work.map((view) => (
              <RailLink key={view.to} view={view} />
            ))}
            <SavedViewLinks />
          </ul>
          <h3>Settings</h3>
          <ul class="all-views">
            {settings.map((view) => (
              <RailLink key={view.to} view={view} />
            ))}
          </ul>
          <h3>Help</h3>
          <ul class="all-views">
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
