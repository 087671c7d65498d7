import { createAccess } from '../../http/create-access.ts';
import { identityFromEnvironment } from '../../http/access/current-identity.ts';
import { createSessionSecret } from '../../config/secrets/session-secret.ts';
import type { startWorkerCore } from './start-worker-core.ts';

type Started = Awaited<ReturnType<typeof startWorkerCore>>;

/** Access control from the deployment's settings; the same for the Worker and its objects. */
export function workerAccess({ deps, variables }: Pick<Started, 'deps' | 'variables'>) {
  return createAccess(deps, {
    variables,
    identity: identityFromEnvironment(variables),
    sessionSecret: createSessionSecret(deps),
    localSecret: null,
  });
}
