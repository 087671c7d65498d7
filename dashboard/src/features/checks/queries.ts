import { api, at } from '../../api/api.ts';
import { readQuery } from '../../api/read-query.ts';

/**
 * The declared checks of an attempt with their results; the attempt's events make the query stale.
 */
export const attemptChecksQuery = (attemptId: string) =>
  readQuery(['attempt-checks', attemptId], (end) =>
    api.attempts[':aid'].checks.$get({ param: { aid: at(attemptId) } }, end),
  );
