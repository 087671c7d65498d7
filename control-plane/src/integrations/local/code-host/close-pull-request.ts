import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import type { Caller } from '../../../http/caller/caller.ts';
import type { LocalCodeHostDeps } from './local-code-host-deps.ts';
import { recordEnd } from './record-end.ts';

/** Closes an open pull request without merging it. Throws a 404, or a 409 when it is not open. */
export async function closePullRequest(
  deps: Omit<LocalCodeHostDeps, 'ids'>,
  caller: Caller,
  id: string,
): Promise<PullRequest> {
  return recordEnd(deps, caller, id, { status: 'closed', mergeCommitSha: null, from: ['open'] });
}
