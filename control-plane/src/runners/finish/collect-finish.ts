import { KIND_RULES } from '@switchyard/shared/attempts/kind-rules';
import { modeOfPlan } from '../../attempts/plans/next-kind.ts';
import { isOwnBranch, OWN_BRANCH_PREFIX } from '@switchyard/shared/branch/is-own-branch';
import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { checksFailed } from '../../attempts/checks/checks-failed.ts';
import type { Ending } from '../../attempts/decide.ts';
import { isOwnBlob } from '../../attempts/identity/attempt-blob-key.ts';
import { judgeUpstreamFailure } from '../../attempts/judge-upstream-failure.ts';
import { attemptWithIssue } from '../../attempts/queries.ts';
import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { Deps } from '../../deps.ts';
import { mayRunElsewhere } from '../failover/may-run-elsewhere.ts';
import { nextChoice } from '../failover/next-choice.ts';
import { delivers, endingOfFinish, type FinishFacts, standingOf } from './decide-finish.ts';

type Finish = RunnerMessageOf<'finish'>;

/** The facts by which a valid finish is decided. */
export type CollectedFinish = FinishFacts & {
  attempt: AttemptRow;
  issue: IssueRow;
  config: EffectiveConfig;
  /** How the attempt ended, if the decision is to end it. */
  ending: Ending;
  nowMs: number;
};

/**
 * Reads the facts that decide a finish; for one that was already answered or is foreign, only its
 * standing.
 */
export async function collectFinish(
  deps: Pick<Deps, 'db' | 'clock' | 'config'>,
  runnerId: string,
  message: Finish,
): Promise<CollectedFinish | { standing: 'answered' } | { standing: 'foreign' }> {
  const pair = await attemptWithIssue(deps.db, message.attemptId);
  if (pair === null) return { standing: 'foreign' };
  const { attempt, issue } = pair;
  const standing = standingOf(attempt, runnerId, message);
  if (standing === 'answered' || standing === 'foreign') return { standing };
  const nowMs = deps.clock.nowMs();
  const config = await deps.config.load();
  const of = { epoch: message.epoch, commitSha: message.delivery?.commitSha ?? null };
  const failedChecks = delivers(attempt, message) ? await checksFailed(deps.db, attempt, of) : [];
  const planMode = modeOfPlan({ attempt, issue }, config);
  const reported = endingOfFinish(attempt, message, { failedChecks, planMode, nowMs });
  const ending = await judgedEnding(deps, { attempt, issue, config, ending: reported });
  const deliveryProblem = problemOfDelivery(message);
  return { standing, attempt, issue, config, failedChecks, deliveryProblem, ending, nowMs };
}

/** The ending, with whose failure it was and with which choice the work continues. */
async function judgedEnding(
  deps: Pick<Deps, 'db' | 'clock' | 'config'>,
  given: { attempt: AttemptRow; issue: IssueRow; config: EffectiveConfig; ending: Ending },
): Promise<Ending> {
  const { attempt, issue, config } = given;
  const { hasAgent, isTry } = KIND_RULES[attempt.kind];
  const ending = hasAgent
    ? await judgeUpstreamFailure(deps.db, attempt, given.ending)
    : given.ending;
  if (!isTry) return ending;
  const [next, mayElsewhere] = await Promise.all([
    nextChoice(deps, { attempt, issue, ending, config }),
    mayRunElsewhere(deps, { attempt, issue, ending, config }),
  ]);
  return { ...ending, ...(next === null ? {} : { next }), mayElsewhere };
}

/** Why a reported delivery cannot belong to this attempt; null when it can. */
function problemOfDelivery({ attemptId, delivery }: Finish): string | null {
  if (delivery === undefined) return null;
  if (!isOwnBranch(delivery.branch))
    return `finish: only branches under ${OWN_BRANCH_PREFIX} are delivered`;
  const isOwn = isOwnBlob(delivery.diffBlob, attemptId);
  return isOwn ? null : 'finish: the diff is no upload of this attempt';
}
