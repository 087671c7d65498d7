import { Icon } from '../../ui/marks/icon.tsx';

export type Density = 'cards' | 'rows';

const KEY = 'switchyard.board-density';

/** As the reader left it; a browser that keeps nothing shows cards. */
export function readDensity(): Density {
  try {
    return localStorage.getItem(KEY) === 'rows' ? 'rows' : 'cards';
  } catch {
    return 'cards';
  }
}

/** Switches between cards that tell all and rows of which many fit. */
export function DensityButton(props: { density: Density; onChange: (density: Density) => void }) {
  const next = props.density === 'rows' ? 'cards' : 'rows';
  return (
    <button
      type="button"
      class="icon-button"
      aria-pressed={props.density === 'rows'}
      aria-label="Compact"
      title="Compact cards"
      onClick={() => {
        props.onChange(next);
        try {
          localStorage.setItem(KEY, next);
        } catch {
          // The choice then lasts as long as the page.
          return;
        }
      }}
    >
      <Icon name="rows" />
    </button>
  );
}
