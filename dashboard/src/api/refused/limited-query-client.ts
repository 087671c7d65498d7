import { QueryClient } from '@tanstack/react-query';
import { requestLimit } from './request-limit.ts';

/**
 * Waits for the reads that an action made stale, so that the page matches the result. Does not wait
 * while the service limits requests: the reads follow later, and the action itself is done.
 */
export class LimitedQueryClient extends QueryClient {
  override invalidateQueries: QueryClient['invalidateQueries'] = (...args) =>
    requestLimit.unlessReached(super.invalidateQueries(...args));
}
