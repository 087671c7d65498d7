import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import type { CodeHost, OpenPullRequest } from '../../../ports/code-host/code-host.ts';
import { LOCAL_CODE_HOST, type LocalCodeHostDeps } from './local-code-host-deps.ts';
import { pageOf, pullRequestRecord } from '../../../ports/code-host/pull-request-record.ts';
import { storePullRequest } from '../../../pull-requests/rows/store-pull-request.ts';

/** The built-in code host: pull requests as rows, for repositories on the runners' hosts. */
export function createLocalCodeHost(deps: LocalCodeHostDeps): CodeHost {
  return {
    kind: LOCAL_CODE_HOST,
    serves: (repositoryUrl) => /^file:\/\//i.test(repositoryUrl),
    openPullRequest: (input) => openLocalPullRequest(deps, input),
  };
}

/**
 * Opens the pull request of a branch, or updates the open one; unchanged input is a no-op. Throws a
 * retryable `CodeHostError` on repeated conflicts.
 */
async function openLocalPullRequest(
  deps: LocalCodeHostDeps,
  input: OpenPullRequest,
): Promise<PullRequest> {
  const host = { codeHost: LOCAL_CODE_HOST, seen: null, pageOf: (id: string) => pageOf(deps, id) };
  const { row } = await storePullRequest(deps, input, host);
  return pullRequestRecord(deps, row);
}
