import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import type { OpenPullRequest } from '../../../ports/code-host/code-host.ts';
import { pageOf, pullRequestRecord } from '../../../ports/code-host/pull-request-record.ts';
import { storePullRequest } from '../../../pull-requests/rows/store-pull-request.ts';
import { LOCAL_CODE_HOST, type LocalCodeHostDeps } from './local-code-host-deps.ts';

/**
 * Opens the pull request of a branch, or updates the open one; unchanged input is a no-op. Throws a
 * retryable `CodeHostError` on repeated conflicts.
 */
export async function openLocalPullRequest(
  deps: LocalCodeHostDeps,
  input: OpenPullRequest,
): Promise<PullRequest> {
  const host = { codeHost: LOCAL_CODE_HOST, seen: null, pageOf: (id: string) => pageOf(deps, id) };
  const { row } = await storePullRequest(deps, input, host);
  return pullRequestRecord(deps, row);
}
