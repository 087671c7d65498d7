import type { CodeHost } from '../../../ports/code-host/code-host.ts';
import { LOCAL_CODE_HOST, type LocalCodeHostDeps } from './local-code-host-deps.ts';
import { openLocalPullRequest } from './open-pull-request.ts';

/** The built-in code host: pull requests as rows, for repositories on the runners' hosts. */
export function createLocalCodeHost(deps: LocalCodeHostDeps): CodeHost {
  return {
    kind: LOCAL_CODE_HOST,
    serves: (repositoryUrl) => /^file:\/\//i.test(repositoryUrl),
    openPullRequest: (input) => openLocalPullRequest(deps, input),
  };
}
