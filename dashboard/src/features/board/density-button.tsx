import { Icon } from '../../ui/marks/icon.tsx';
import { readStored, writeStored } from '../../ui/stored.ts';

export type Density = 'cards' | 'rows';

const KEY = 'switchyard.board-density';

/** As the reader left it; a browser that keeps nothing shows cards. */
export function readDensity(): Density {
  return readStored(KEY) === 'rows' ? 'rows' : 'cards';
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
        writeStored(KEY, next);
      }}
    >
      <Icon name="rows" />
    </button>
  );
}
