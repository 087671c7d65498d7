import { QueryClient } from '@tanstack/react-query';
import { requestLimit } from './request-limit.ts';

/**
 * Reads that an act made stale are waited for, so that what is shown fits it; not where the service
 * takes no requests for now: they follow by themselves, and the act is over.
 */
export class LimitedQueryClient extends QueryClient {
  override invalidateQueries: QueryClient['invalidateQueries'] = (...args) =>
    requestLimit.unlessReached(super.invalidateQueries(...args));
}
