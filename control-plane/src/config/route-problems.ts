import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import type { ConfigProblem } from './config-store.ts';
import { canonicalEntries } from './values/canonical-entries.ts';
import type { JsonObject } from './values/json-object.ts';
import { faultPath, routeFaults } from './repositories/route-faults.ts';

/** The code of a problem with a route that no work can go by. */
export const UNUSABLE_ROUTE = 'unusable_route';

type Layers = { base: JsonObject; environment: JsonObject; overlay?: JsonObject };

/** Routes in force that no work can go by, as what a person should see: of the layer they are from. */
export function routeProblems(repos: readonly RepoRoute[], layers: Layers): ConfigProblem[] {
  return routeFaults(repos).map((unusable): ConfigProblem => {
    const path = faultPath(unusable);
    return {
      source: sourceOf(layers),
      code: UNUSABLE_ROUTE,
      path,
      message: `${path}: ${unusable.message}`,
      severity: 'warning',
      blocksDispatch: false,
    };
  });
}

/** The list of the strongest layer is taken whole. */
function sourceOf({ environment, overlay = {} }: Layers): ConfigProblem['source'] {
  const { entries } = canonicalEntries(overlay);
  if (entries.some(({ canonical }) => canonical[0] === 'repos')) return 'overlay';
  return environment['repos'] === undefined ? 'base' : 'environment';
}
