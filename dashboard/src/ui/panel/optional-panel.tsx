import type { ComponentChildren } from 'preact';
import { LoadError, type ShownQuery, Skeleton } from '../data/query-view.tsx';
import './optional-panel.css';

type OptionalPanelProps<T> = {
  title: string;
  query: ShownQuery<T>;
  /** Whether the data is empty, so that the panel is left out. */
  isEmpty: (data: T) => boolean;
  /** Text beside the title. */
  summary?: (data: T) => string;
  children: (data: T) => ComponentChildren;
};

/** A titled panel that is shown only where its query has data, or failed. */
export function OptionalPanel<T>(props: OptionalPanelProps<T>) {
  const { title, summary } = props;
  const { data, error, refetch } = props.query;
  if (data !== undefined && props.isEmpty(data)) return null;
  return (
    <section
      // A loading panel takes no space at first, since its response mostly arrives before that
      // ends.
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
