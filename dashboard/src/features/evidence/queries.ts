import { api, at } from '../../api/api.ts';
import { readQuery } from '../../api/read-query.ts';

/** How the work of an attempt was made; files that its agent leaves and its end make it stale. */
export const attemptEvidenceQuery = (attemptId: string) =>
  readQuery(['attempt-evidence', attemptId], (end) =>
    api.attempts[':aid'].evidence.$get({ param: { aid: at(attemptId) } }, end),
  );
