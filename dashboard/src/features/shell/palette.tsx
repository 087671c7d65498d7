import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { flushSync } from 'preact/compat';
import { useMemo, useState } from 'preact/hooks';
import { localIssuesQuery, stateQuery } from '../../api/queries.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { Modal } from '../../ui/modal.tsx';
import { activeShortcuts } from '../../ui/shortcuts.ts';
import { applyTheme } from '../../ui/theme.ts';
import { mergeIssues } from '../board/merge-issues.ts';
import { type Command, findCommands } from './find-commands.ts';
import { useGeneralActions } from './general-actions.ts';
import { VIEWS } from './views.ts';
import './palette.css';

const LIST_ID = 'palette-list';

/** Everything one can go to or do, found by a few letters. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [words, setWords] = useState('');
  const [position, setPosition] = useState(0);
  const commands = useCommands(onClose);
  const found = useMemo(() => findCommands(commands, words), [commands, words]);
  const chosen = found[Math.min(position, found.length - 1)];
  const move = (by: number) =>
    setPosition((current) => (current + by + found.length) % Math.max(1, found.length));
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter') chosen?.run();
    else return;
    event.preventDefault();
  };
  return (
    <Modal title="Go to or do" onClose={onClose} plain>
      <div class="palette">
        <label class="palette-input">
          <Icon name="search" />
          <input
            type="text"
            list={undefined}
            role="combobox"
            aria-label="Search views, issues and actions"
            aria-expanded="true"
            aria-controls={LIST_ID}
            aria-activedescendant={chosen && `palette-${chosen.id}`}
            autoFocus
            autoComplete="off"
            placeholder="Search views, issues and actions"
            value={words}
            onInput={(event) => {
              setWords(event.currentTarget.value);
              setPosition(0);
            }}
            onKeyDown={onKey}
          />
          <kbd>Esc</kbd>
        </label>
        <ul id={LIST_ID} role="listbox" aria-label="Found">
          {found.map((command) => (
            <li
              key={command.id}
              id={`palette-${command.id}`}
              role="option"
              aria-selected={command === chosen}
              ref={(element) => {
                if (command === chosen) element?.scrollIntoView({ block: 'nearest' });
              }}
              onClick={command.run}
            >
              <Icon name={command.icon} />
              <span class="grow" dir="auto">
                {command.label}
              </span>
              <span class="quiet">{command.hint}</span>
            </li>
          ))}
        </ul>
        {found.length === 0 && <p class="palette-none">Nothing is called that.</p>}
      </div>
    </Modal>
  );
}

function useCommands(onClose: () => void): Command[] {
  const router = useRouter();
  const general = useGeneralActions();
  const state = useQuery(stateQuery).data;
  const local = useQuery(localIssuesQuery).data;
  return useMemo(() => {
    const done = (run: () => unknown) => () => {
      // At once: what runs then finds the focus where it was before, for example on a card.
      flushSync(onClose);
      run();
    };
    const views = VIEWS.map((view) => ({
      id: `view-${view.chord}`,
      label: view.label,
      hint: `g ${view.chord}`,
      icon: view.icon,
      run: done(() => router.navigate({ to: view.to })),
    }));
    const actions = activeShortcuts()
      .filter((shortcut) => !/^(g .|\/)$/.test(shortcut.keys))
      .map((shortcut) => ({
        id: `key-${shortcut.keys.replaceAll(' ', '-')}`,
        label: shortcut.label,
        hint: shortcut.keys,
        icon: 'chevron' as IconName,
        run: done(shortcut.run),
      }));
    const themes = (['light', 'dark', 'system'] as const).map((theme) => ({
      id: `theme-${theme}`,
      label: `Theme: ${theme}`,
      hint: '',
      icon: theme === 'light' ? ('sun' as const) : theme === 'dark' ? ('moon' as const) : theme,
      run: done(() => applyTheme(theme)),
    }));
    const issues = mergeIssues(local?.issues ?? [], state).map((issue) => ({
      id: `issue-${issue.identifier}`,
      label: `${issue.identifier} ${issue.title}`,
      hint: issue.status,
      icon: issue.status,
      run: done(() =>
        router.navigate({ to: '/issues/$id', params: { id: issue.identifier }, search: {} }),
      ),
    }));
    const ways = general
      .filter(({ label }) => actions.every((action) => action.label !== label))
      .map((action) => ({ ...action, run: done(action.run) }));
    return [...views, ...actions, ...ways, ...issues, ...themes];
  }, [router, general, state, local, onClose]);
}
