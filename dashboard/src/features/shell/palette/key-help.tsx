import { useState } from 'preact/hooks';
import { Modal } from '../../../ui/overlays/modal.tsx';
import { activeShortcuts, setSingleKeys, singleKeysOn } from '../../../ui/overlays/shortcuts.ts';
import './key-help.css';

/** Every shortcut that is active on this page now. */
export function KeyHelp({ onClose }: { onClose: () => void }) {
  const [on, setOn] = useState(singleKeysOn);
  const groups = [...Map.groupBy(activeShortcuts(), (shortcut) => shortcut.group)];
  return (
    <Modal title="Keyboard shortcuts" onClose={onClose}>
      <div class="key-groups" role="group" aria-label="Shortcuts by area" tabIndex={0}>
        <section>
          <h3>Anywhere, also while typing</h3>
          <p class="key-line">
            <span>Command palette</span>
            <Keys keys="Ctrl k" />
          </p>
        </section>
        {groups.map(([group, shortcuts]) => (
          <section key={group}>
            <h3>{group}</h3>
            {shortcuts.map((shortcut) => (
              <p key={shortcut.keys} class="key-line">
                <span>{shortcut.label}</span>
                <Keys keys={shortcut.keys} />
              </p>
            ))}
          </section>
        ))}
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={on}
          onChange={(event) => {
            setSingleKeys(event.currentTarget.checked);
            setOn(event.currentTarget.checked);
          }}
        />
        <span>
          Enable shortcuts
          <small>When off, only Ctrl+K works.</small>
        </span>
      </label>
    </Modal>
  );
}

function Keys({ keys }: { keys: string }) {
  return (
    <span class="keys">
      {keys.split(' ').map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  );
}
