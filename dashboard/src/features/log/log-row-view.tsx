import { actorText } from '@switchyard/shared/reasons/act-of-person';
import { memo } from 'preact/compat';
import { useReader } from '../../api/queries.ts';
import { formatClock, formatDateTime } from '../../format/time.ts';
import { plural } from '../../format/format-count.ts';
import { Icon } from '../../ui/marks/icon.tsx';
import { Elapsed } from '../../ui/marks/ago.tsx';
import type { LogRow, EntryRow, TurnRow } from './rows/event-log.ts';
import { ItemView, type ToggledRow } from './item-view.tsx';
import { TextBlock } from './text/text-block.tsx';

export type LogRowProps = {
  row: LogRow;
  /** Whether this turn's rows are hidden. */
  folded: boolean;
  /** Whether the reader opened or closed this row's details; undefined: the default. */
  open: boolean | undefined;
  onFold: (key: string) => void;
  onToggle: (row: ToggledRow) => void;
  /** Puts the row's key into the address. */
  onLink: (key: string) => void;
};

/** One row, redrawn only when its row object changes. */
export const LogRowView = memo(function LogRowView(props: LogRowProps) {
  const { row } = props;
  if (row.kind === 'turn')
    return <TurnHead row={row} folded={props.folded} onFold={props.onFold} />;
  const atMs = row.kind === 'item' ? row.startedAtMs : row.atMs;
  return (
    <div class={row.turnKey === null ? 'log-row' : 'log-row in-turn'}>
      <button
        type="button"
        class="log-time"
        tabIndex={-1}
        title={`${formatDateTime(atMs)}. Link to this line`}
        onClick={() => props.onLink(row.key)}
      >
        <time dateTime={new Date(atMs).toISOString()}>{formatClock(atMs)}</time>
      </button>
      {row.kind === 'item' ? (
        <ItemView row={row} open={props.open} onToggle={props.onToggle} />
      ) : (
        <EntryView row={row} />
      )}
    </div>
  );
});

function TurnHead(props: { row: TurnRow; folded: boolean; onFold: (key: string) => void }) {
  const { row, folded, onFold } = props;
  const failed = row.status === 'failed' || row.status === 'interrupted';
  return (
    <button
      type="button"
      class={`log-turn ${failed ? 'failed' : ''}`}
      aria-expanded={!folded}
      onClick={() => onFold(row.key)}
    >
      <Icon name="chevron" size={14} class={folded ? '' : 'turned'} />
      <strong>Turn {row.number}</strong>
      <span>{plural(row.steps, 'step')}</span>
      <Elapsed from={row.startedAtMs} to={row.endedAtMs} />
      <span class="turn-status">{row.status}</span>
      {row.message !== '' && <span class="turn-message">{row.message}</span>}
    </button>
  );
}

function ByWhom({ actor }: { actor: string }) {
  return <>by {actorText(actor, useReader())}</>;
}

function EntryView({ row }: { row: EntryRow }) {
  const { entry } = row;
  return (
    <div class={`log-entry tone-${entry.tone}`}>
      <p>
        <span class="entry-label">{entry.label}</span> {entry.text}
        {entry.by !== null && <ByWhom actor={entry.by} />}
      </p>
      {entry.body !== null && entry.body !== '' && <TextBlock text={entry.body} />}
    </div>
  );
}
