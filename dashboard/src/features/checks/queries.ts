import type { AttemptCheckList } from '@switchyard/shared/api/work/attempt-check';
import type { ClientResponse } from 'hono/client';
import { api, at, type until } from '../../api/api.ts';
import { readQuery } from '../../api/read-query.ts';

type ChecksRoute = {
  $get: (
    of: { param: { aid: string } },
    end: ReturnType<typeof until>,
  ) => Promise<ClientResponse<AttemptCheckList, 200, 'json'>>;
};

/** The declared checks of an attempt with what came out; its events make it stale. */
export const attemptChecksQuery = (attemptId: string) =>
  readQuery(['attempt-checks', attemptId], (end) => {
    const { checks } = api.attempts[':aid'] as unknown as { checks: ChecksRoute };
    return checks.$get({ param: { aid: at(attemptId) } }, end);
  });
