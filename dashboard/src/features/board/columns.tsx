import type { Issue } from '@switchyard/shared/api/work/issue';
import type { ListedIssue } from '@switchyard/shared/api/work/issue-list';
import type { State } from '@switchyard/shared/api/work/state';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { transitionsQuery } from '../../api/queries.ts';
import { useMove } from '../control/use-move.ts';
import { type BoardColumn, columnOf, columnToShow, OUT_OF_SIGHT } from './board-columns.ts';
import type { Density } from './density-button.tsx';
import { IssueCard } from './issue-card.tsx';
import { Button } from '../../ui/button.tsx';

/** Number of cards that a column shows; the rest follows on request. */
const CARDS_SHOWN = 30;

type ColumnsProps = {
  columns: BoardColumn[];
  /** Issues that need a person, by identifier. */
  needing: ReadonlyMap<string, ListedIssue>;
  selected: ReadonlySet<string>;
  density: Density;
  paused: State['paused'];
  /** The current filter; a different one scrolls its first card into view. */
  filter: string;
};

/** The columns; dragging a card to another column moves its issue to that state. */
export function Columns(props: ColumnsProps) {
  const client = useQueryClient();
  const move = useMove();
  const row = useRef<HTMLDivElement>(null);
  const [dragged, setDragged] = useState<Issue | null>(null);
  const allowed = useQuery({ ...transitionsQuery, enabled: dragged !== null }).data?.transitions;
  const wanted = columnToShow(props.columns, props.needing);
  // Scrolls where only one column fits, but not whenever cards move: the viewed column must stay.
  useLayoutEffect(() => {
    const board = row.current;
    const found = [...(board?.children ?? [])].find(
      (column) => column.getAttribute('aria-label') === wanted,
    );
    if (!board || !(found instanceof HTMLElement)) return;
    if (board.clientWidth < found.offsetWidth * 2) {
      board.scrollLeft = found.offsetLeft - board.offsetLeft;
    }
  }, [props.filter]);
  const drop = (column: string) => {
    setDragged(null);
    if (dragged === null || !isTarget(column, dragged)) return;
    const states = allowed?.[dragged.identifier];
    const to = states?.find((state) => columnOf(state) === column) ?? column;
    move([dragged], to);
  };
  return (
    <div class={props.density === 'rows' ? 'columns dense' : 'columns'} ref={row}>
      {props.columns.map((column) => (
        <Column
          key={column.name}
          {...props}
          column={column}
          target={dragged !== null && isTarget(column.name, dragged)}
          onDrag={(issue) => {
            setDragged(issue);
            if (issue !== null) void client.prefetchQuery(transitionsQuery);
          }}
          onDrop={() => drop(column.name)}
        />
      ))}
    </div>
  );
}

/** Whether a dragged card can be dropped on a column. */
function isTarget(column: string, { state }: Issue): boolean {
  return column !== OUT_OF_SIGHT && columnOf(state) !== column;
}

type ColumnProps = ColumnsProps & {
  column: BoardColumn;
  /** A dragged card can be dropped here. */
  target: boolean;
  onDrag: (issue: Issue | null) => void;
  onDrop: () => void;
};

function Column({ column, target, onDrop, onDrag, ...props }: ColumnProps) {
  const [all, setAll] = useState(false);
  const [over, setOver] = useState(false);
  const shown = all ? column.issues : column.issues.slice(0, CARDS_SHOWN);
  const hidden = column.issues.length - shown.length;
  const classes = [
    'column',
    column.issues.length === 0 && 'none',
    target && 'target',
    target && over && 'over',
  ];
  return (
    <section
      class={classes.filter(Boolean).join(' ')}
      aria-label={column.name}
      onDragOver={(event) => target && event.preventDefault()}
      onDragEnter={() => setOver(true)}
      onDragLeave={(event) =>
        !event.currentTarget.contains(event.relatedTarget as Node | null) && setOver(false)
      }
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onDrop();
      }}
    >
      <h2>
        {column.name} <span class="count">{column.issues.length}</span>
      </h2>
      <div class="cards">
        {shown.map((issue) => (
          <IssueCard
            key={`${issue.tracker}:${issue.id}`}
            issue={issue}
            needing={props.needing.get(issue.identifier)}
            selected={props.selected.has(issue.identifier)}
            compact={props.density === 'rows'}
            paused={props.paused}
            onDrag={onDrag}
          />
        ))}
        {hidden > 0 && (
          <Button small onClick={() => setAll(true)}>
            Show {hidden} more
          </Button>
        )}
      </div>
    </section>
  );
}
