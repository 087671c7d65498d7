import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ComponentChildren } from 'preact';
import { ApiError, errorText } from '../api/client.ts';
import { Icon, type IconName } from './icon.tsx';

/** What a list says when it has nothing, and what to do about it. */
export function EmptyState(props: { icon: IconName; title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <Icon name={props.icon} size={22} />
      <h2>{props.title}</h2>
      {props.children}
    </div>
  );
}

/** Grey bars in the shape of what is coming. */
export function Skeleton({ lines = 4, label = 'Loading' }: { lines?: number; label?: string }) {
  return (
    <div class="skeleton" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}

/** A failure in the service's own words, with a way to try again. */
export function LoadError({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <div class="load-error" role="alert">
      <Icon name="warning" />
      <p>{errorText(error)}</p>
      <button type="button" class="button small" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}

/** Trying again would not help against what does not exist. */
function Missing({ error }: { error: ApiError }) {
  return (
    <EmptyState icon="branch" title={error.message}>
      <p>
        It was never there or it is gone. <Link to="/">Back to the board</Link>
      </p>
    </EmptyState>
  );
}

/**
 * Shows a query's data, or why there is none yet. Data that is there stays on screen while a later
 * fetch fails; the connection mark says that it may be old.
 */
export function QueryView<T>(props: {
  query: UseQueryResult<T>;
  skeletonLines?: number;
  children: (data: T) => ComponentChildren;
}) {
  const { data, error, refetch } = props.query;
  if (data !== undefined) return <>{props.children(data)}</>;
  if (error instanceof ApiError && error.status === 404) return <Missing error={error} />;
  if (error !== null) return <LoadError error={error} onRetry={() => void refetch()} />;
  return <Skeleton lines={props.skeletonLines ?? 4} />;
}
