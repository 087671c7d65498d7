import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import type { ConfigProblem } from './config-store.ts';
import { canonicalEntries } from './values/canonical-entries.ts';
import type { JsonObject } from './values/json-object.ts';
import { faultPath, routeFaults } from './repositories/route-faults.ts';

/** Problem code of an unusable route. */
export const UNUSABLE_ROUTE = 'unusable_route';

type Layers = { base: JsonObject; environment: JsonObject; overlay?: JsonObject };

/** Unusable routes in force as configuration problems, with the layer they come from. */
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

/** The routes come from the strongest layer that has any, because lists are not merged. */
function sourceOf({ environment, overlay = {} }: Layers): ConfigProblem['source'] {
  const { entries } = canonicalEntries(overlay);
  if (entries.some(({ canonical }) => canonical[0] === 'repos')) return 'overlay';
  return environment['repos'] === undefined ? 'base' : 'environment';
}
