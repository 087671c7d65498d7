import { readStored, writeStored } from '../../ui/stored.ts';
import { IconButton } from '../../ui/icon-button.tsx';

export type Density = 'cards' | 'rows';

const KEY = 'switchyard.board-density';

/** The stored density; without stored choice, cards. */
export function readDensity(): Density {
  return readStored(KEY) === 'rows' ? 'rows' : 'cards';
}

/** Switches between detailed cards and compact rows. */
export function DensityButton(props: { density: Density; onChange: (density: Density) => void }) {
  const next = props.density === 'rows' ? 'cards' : 'rows';
  return (
    <IconButton
      icon="rows"
      label="Compact"
      aria-pressed={props.density === 'rows'}
      title="Compact cards"
      onClick={() => {
        props.onChange(next);
        writeStored(KEY, next);
      }}
    />
  );
}
