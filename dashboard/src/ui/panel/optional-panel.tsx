import type { ComponentChildren } from 'preact';
import { LoadError, type ShownQuery, Skeleton } from '../data/query-view.tsx';
import './optional-panel.css';

type OptionalPanelProps<T> = {
  title: string;
  query: ShownQuery<T>;
  /** Whether there is nothing to show: then the panel is not there. */
  isEmpty: (data: T) => boolean;
  /** Beside the title. */
  summary?: (data: T) => string;
  children: (data: T) => ComponentChildren;
};

/** A titled panel that is there only where its query has something to show, or failed. */
export function OptionalPanel<T>(props: OptionalPanelProps<T>) {
  const { title, summary } = props;
  const { data, error, refetch } = props.query;
  if (data !== undefined && props.isEmpty(data)) return null;
  return (
    <section
      // What is there at once makes no place for a moment.
      class={data === undefined && error === null ? 'optional-awaited' : 'panel optional-panel'}
      aria-label={title}
    >
      <header>
        <h2>{title}</h2>
        {data !== undefined && summary !== undefined && <span class="quiet">{summary(data)}</span>}
      </header>
      {data !== undefined ? (
        props.children(data)
      ) : error === null ? (
        <Skeleton lines={1} label={`Loading ${title}`} />
      ) : (
        <LoadError error={error} onRetry={() => void refetch()} />
      )}
    </section>
  );
}
