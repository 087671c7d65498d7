import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { Deps } from '../../deps.ts';
import { type KeptWork, pushKeptWork } from '../push-kept-work.ts';
import { type DescribedWork, writePullRequest } from '../write-pull-request.ts';

/** Dependencies for delivering kept work as a pull request. */
export type DeliveryDeps = Pick<Deps, 'db' | 'clock' | 'codeHosts' | 'wake'> & {
  pushKeptWork: (
    attempt: AttemptRow,
    issue: IssueRow,
    work: KeptWork,
  ) => ReturnType<typeof pushKeptWork>;
  writePullRequest: (work: DescribedWork) => ReturnType<typeof writePullRequest>;
};

/** Binds what every delivery works with. */
export function connectDelivery(deps: Deps): DeliveryDeps {
  const { db, clock, codeHosts, wake } = deps;
  return {
    db,
    clock,
    codeHosts,
    wake,
    pushKeptWork: (attempt, issue, work) => pushKeptWork(deps, attempt, issue, work),
    writePullRequest: (work) => writePullRequest(deps, work),
  };
}
