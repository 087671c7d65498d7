import { type Query, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ComponentChildren } from 'preact';
import { ApiError, errorText } from '../../api/api.ts';
import { askToSignIn } from '../../api/sign-in-wanted.ts';
import { Icon, type IconName } from '../marks/icon.tsx';
import { Button } from '../button.tsx';

/** Content of an empty list: a text, and what to do about it. */
export function EmptyState(props: { icon: IconName; title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <Icon name={props.icon} size={22} />
      <h2>{props.title}</h2>
      {props.children}
    </div>
  );
}

/** Grey bars in the shape of the expected content. */
export function Skeleton({ lines = 4, label = 'Loading' }: { lines?: number; label?: string }) {
  return (
    <div class="skeleton" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}

/** An error in the service's own words with a retry button, or that the service is unreachable. */
export function LoadError({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const offline = error instanceof ApiError && error.status === 0;
  const unknown = error instanceof ApiError && error.status === 401;
  const client = useQueryClient();
  const retry = () => {
    onRetry();
    // Queries that failed too and are retried together.
    const failed = ({ state }: Query) => state.status === 'error' && state.fetchStatus === 'idle';
    void client.refetchQueries({ type: 'active', predicate: failed });
  };
  return (
    <div class={offline ? 'load-error offline' : 'load-error'} role="alert">
      <Icon name={offline ? 'offline' : 'warning'} />
      <p>
        {errorText(error)}
        {offline && ' The page reconnects automatically.'}
      </p>
      {unknown && (
        <Button small onClick={() => askToSignIn(error.message)}>
          Sign in
        </Button>
      )}
      <Button small onClick={retry}>
        Try again
      </Button>
    </div>
  );
}

/** A missing resource, for which a retry would be useless. */
function Missing({ error }: { error: ApiError }) {
  return (
    <EmptyState icon="branch" title={error.message}>
      <p>
        It does not exist or was deleted. <Link to="/board">Back to the board</Link>
      </p>
    </EmptyState>
  );
}

/** The used part of a query, paged or not. */
export type ShownQuery<T> = { data: T | undefined; error: unknown; refetch: () => unknown };

/**
 * Shows a query's data, or why there is none yet. Loaded data stays on screen while a later fetch
 * fails; the connection mark shows that it may be outdated.
 */
export function QueryView<T>(props: {
  query: ShownQuery<T>;
  skeletonLines?: number;
  children: (data: T) => ComponentChildren;
}) {
  const { data, error, refetch } = props.query;
  if (data !== undefined) return <>{props.children(data)}</>;
  if (error instanceof ApiError && error.status === 404) return <Missing error={error} />;
  if (error !== null) return <LoadError error={error} onRetry={() => void refetch()} />;
  return <Skeleton lines={props.skeletonLines ?? 4} />;
}
