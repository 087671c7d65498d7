import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { errorText } from '../../../api/api.ts';
import { Icon } from '../../../ui/marks/icon.tsx';
import { findCommands } from './find-commands.ts';
import { type ListHandle, PALETTE_LIST_ID } from './list-handle.ts';
import { useCommands } from './use-commands.ts';
import { useSearchResults } from './use-search-results.ts';

/** The matches of the typed words, with the selected one marked. */
export function PaletteList(props: {
  query: string;
  onChosen: (id: string | undefined) => void;
  onReady: (handle: ListHandle | null) => void;
  onClose: () => void;
}) {
  const { query, onChosen, onReady, onClose } = props;
  const [position, setPosition] = useState(0);
  const commands = useCommands(onClose);
  const { results, searching, error } = useSearchResults(query, onClose);
  const found = useMemo(() => findCommands(commands, results, query), [commands, results, query]);
  const chosen = found[Math.min(position, found.length - 1)];
  useLayoutEffect(() => setPosition(0), [query]);
  useLayoutEffect(() => onChosen(chosen && `palette-${chosen.id}`), [chosen?.id]);
  const latest = useRef({ chosen, count: found.length });
  latest.current = { chosen, count: found.length };
  useEffect(() => {
    onReady({
      move: (by) =>
        setPosition((current) => {
          const count = Math.max(1, latest.current.count);
          return (Math.min(current, count - 1) + by + count) % count;
        }),
      run: () => latest.current.chosen?.run(),
    });
    return () => onReady(null);
  }, [onReady]);
  return (
    <>
      <ul id={PALETTE_LIST_ID} role="listbox" aria-label="Results">
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
            <span class="grow">
              <span dir="auto">{command.label}</span>
              {command.detail !== undefined && (
                <small class="quiet" dir="auto">
                  {command.detail}
                </small>
              )}
            </span>
            <span class="quiet palette-hint">{command.hint}</span>
          </li>
        ))}
      </ul>
      <p class="palette-none" role="status">
        {error !== null
          ? `Search covers only data on this page. ${errorText(error)}`
          : searching
            ? 'Searching'
            : found.length === 0 && 'No results.'}
      </p>
    </>
  );
}
