import type { ComponentChildren } from 'preact';
import { LoadMore, type PagedQuery } from './load-more.tsx';
import { QueryView, type ShownQuery } from './query-view.tsx';
import './history-panel.css';
import { Select } from '../forms/select.tsx';

/** A history of several things, newest first: of all of them, or of the selected one. */
export function HistoryPanel<Page, Row>(props: {
  id: string;
  title: string;
  /** Label of the selection for screen readers: `Filter by rule`. */
  choiceLabel: string;
  all: string;
  names: readonly string[];
  name: string;
  onName: (name: string) => void;
  query: ShownQuery<Page> & PagedQuery;
  rows: readonly Row[];
  total: number;
  empty: string;
  children: (row: Row) => ComponentChildren;
}) {
  const titleId = `${props.id}-title`;
  return (
    <section class="history" aria-labelledby={titleId}>
      <header>
        <h2 id={titleId}>{props.title}</h2>
        <label>
          <span class="visually-hidden">{props.choiceLabel}</span>
          <Select
            options={[['', props.all], ...props.names]}
            value={props.name}
            onChoose={props.onName}
          />
        </label>
      </header>
      <QueryView query={props.query}>
        {() =>
          props.rows.length === 0 ? (
            <p class="quiet">{props.empty}</p>
          ) : (
            <ul class="rows panel">{props.rows.map(props.children)}</ul>
          )
        }
      </QueryView>
      <LoadMore query={props.query} shown={props.rows.length} total={props.total} />
    </section>
  );
}
