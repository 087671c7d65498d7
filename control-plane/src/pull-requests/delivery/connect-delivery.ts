import type { Bound, Deps } from '../../deps.ts';
import { pushKeptWork } from '../push-kept-work.ts';
import { writePullRequest } from '../write-pull-request.ts';

/** Dependencies for delivering kept work as a pull request. */
export type DeliveryDeps = Pick<Deps, 'db' | 'clock' | 'codeHosts' | 'wake'> & {
  pushKeptWork: Bound<typeof pushKeptWork>;
  writePullRequest: Bound<typeof writePullRequest>;
};

/** Binds the functions that push kept work and describe it to the core's dependencies. */
export function connectDelivery(deps: Deps): DeliveryDeps {
  return {
    ...deps,
    pushKeptWork: pushKeptWork.bind(undefined, deps),
    writePullRequest: writePullRequest.bind(undefined, deps),
  };
}
