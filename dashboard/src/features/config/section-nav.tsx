import { Link } from '@tanstack/react-router';
import { useRef } from 'preact/hooks';
import { shortcutsOf, useShortcuts } from '../../ui/overlays/shortcuts.ts';

const key = shortcutsOf('Configuration');

/** The sections of the configuration and a search over all their settings. */
export function SectionNav(props: {
  sections: { name: string; drafts: number }[];
  shown: string | undefined;
  filter: string;
  onFilter: (text: string) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  useShortcuts([key('f', 'Find a setting', () => field.current?.focus())]);
  return (
    <div class="section-nav">
      <input
        ref={field}
        class="field"
        type="search"
        aria-label="Find a setting"
        aria-keyshortcuts="f"
        placeholder="Find a setting"
        value={props.filter}
        onInput={(event) => props.onFilter(event.currentTarget.value)}
      />
      <nav aria-label="Sections">
        <ul>
          {props.sections.map(({ name, drafts }) => (
            <li key={name}>
              <Link
                to="/config"
                search={{ section: name }}
                className={name === props.shown ? 'chosen' : ''}
                aria-current={name === props.shown ? 'true' : undefined}
                onClick={() => props.onFilter('')}
              >
                {name}
                {drafts > 0 && (
                  <span class="tag">
                    {drafts}
                    <span class="visually-hidden"> not saved</span>
                  </span>
                )}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
    </div>
  );
}
