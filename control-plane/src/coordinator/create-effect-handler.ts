import { writePlanComment } from '../issues/requests/write-plan-comment.ts';
import type { IssueRow } from '../db/schema/work/issues.ts';
import type { JobRow } from '../db/schema/operation/jobs.ts';
import type { Deps } from '../deps.ts';
import { finishMove } from '../issues/actions/record-move.ts';
import { issueById } from '../issues/queries.ts';
import { Effect } from '../jobs/queue/effect.ts';
import { type JobHandler, JobRefused } from '../jobs/queue/run-jobs.ts';
import { sendActivities } from '../people/agent-sessions/send-activities.ts';
import { deliverAndRecord } from '../pull-requests/delivery/deliver-again.ts';
import { connectDelivery } from '../pull-requests/delivery/connect-delivery.ts';
import {
  completeDelivery,
  failDelivery,
  noteRepeatedDelivery,
  openPullRequest,
} from '../pull-requests/delivery/open-pull-request.ts';
import { publish } from '../pull-requests/delivery/publish-issue.ts';
import { transitionIssue } from '../pull-requests/delivery/transition-issue.ts';
import { updateComment } from '../pull-requests/delivery/update-comment.ts';
import { effectHandler, type PerformEffect } from './effect-handler.ts';

/** Connects jobs for the outside world with what performs their effects. */
export function createEffectHandler(deps: Deps): JobHandler {
  return effectHandler({
    ...deps,
    performEffect: createPerformEffect(deps),
    noteRepeatedDelivery: noteRepeatedDelivery.bind(undefined, deps),
    failDelivery: failDelivery.bind(undefined, deps),
  });
}

/** Connects each kind of effect with what performs it. */
function createPerformEffect(deps: Deps): PerformEffect {
  const delivery = connectDelivery(deps);
  return async (row) => {
    const parsed = Effect.safeParse({ kind: row.kind, ...row.payload });
    // An effect that another version wrote must not block those after it.
    if (!parsed.success) throw new JobRefused('it was written by another version');
    const effect = parsed.data;
    switch (effect.kind) {
      case 'tracker.transition':
        return transitionIssue(deps, row, effect);
      case 'tracker.move':
        return finishMove(deps, await issueOf(deps, row), effect);
      case 'tracker.comment':
        return updateComment(deps, row);
      case 'tracker.plan':
        return writePlanComment(deps, row, effect);
      case 'tracker.attach': {
        const tracker = deps.trackers.get(row.tracker ?? '');
        if (tracker === undefined) throw new JobRefused('the tracker is gone');
        return tracker.attach(row.issue_id ?? '', { url: effect.url, title: effect.title });
      }
      case 'tracker.agent_session':
        return sendActivities(deps, { tracker: row.tracker ?? '', sessionId: effect.sessionId });
      case 'codehost.open_pull_request': {
        const opened = await openPullRequest(delivery, row, effect);
        return opened === null ? undefined : completeDelivery(deps, opened);
      }
      case 'codehost.publish':
        await publish(delivery, await issueOf(deps, row), effect.caller, []);
        return undefined;
      case 'codehost.deliver_again':
        await deliverAndRecord(delivery, await issueOf(deps, row), effect.caller, []);
        return undefined;
    }
  };
}

async function issueOf({ db }: Pick<Deps, 'db'>, row: JobRow): Promise<IssueRow> {
  const issue = await issueById(db, { tracker: row.tracker ?? '', id: row.issue_id ?? '' });
  if (issue === null) throw new JobRefused('the issue is gone');
  return issue;
}
