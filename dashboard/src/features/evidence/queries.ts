import { api, at } from '../../api/api.ts';
import { readQuery } from '../../api/read-query.ts';

/** Evidence of an attempt; its agent's files and its end make the query stale. */
export const attemptEvidenceQuery = (attemptId: string) =>
  readQuery(['attempt-evidence', attemptId], (end) =>
    api.attempts[':aid'].evidence.$get({ param: { aid: at(attemptId) } }, end),
  );
