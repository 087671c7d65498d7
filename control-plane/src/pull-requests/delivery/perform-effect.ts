import { issueById } from '../../issues/queries.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import { sendActivities } from '../../people/agent-sessions/send-activities.ts';
import { CodeHostError } from '../code-host.ts';
import type { OutboxRow } from '../../db/schema/operation/outbox.ts';
import type { Deps } from '../../deps.ts';
import type { Effect } from '../../jobs/outbox/effect.ts';
import { EffectRefused } from '../../jobs/outbox/run-outbox.ts';
import { publish } from '../../issues/actions/publish-issue.ts';
import { finishMove } from '../../issues/actions/record-move.ts';
import { TrackerError } from '../../issues/tracker/tracker.ts';
import { deliverAndRecord } from './deliver-again.ts';
import { failDelivery, openPullRequest } from './open-pull-request.ts';
import { transitionIssue } from './transition-issue.ts';
import { updateComment } from './update-comment.ts';

/** Does one effect on the outside world; idempotent, throws to be tried again. */
export async function performEffect(deps: Deps, row: OutboxRow, effect: Effect): Promise<void> {
  try {
    await perform(deps, row, effect);
  } catch (error) {
    const isFinal =
      (error instanceof TrackerError && error.isRefusal) ||
      (error instanceof CodeHostError && !error.retryable);
    // What cannot succeed is not tried again.
    throw isFinal ? new EffectRefused(error.message) : error;
  }
}

async function perform(deps: Deps, row: OutboxRow, effect: Effect): Promise<void> {
  switch (effect.kind) {
    case 'tracker.transition':
      return transitionIssue(deps, row, effect);
    case 'tracker.move':
      return finishMove(deps, await issueOf(deps, row), effect);
    case 'tracker.comment':
      return updateComment(deps, row);
    case 'tracker.attach': {
      const tracker = deps.trackers.get(row.tracker ?? '');
      if (tracker === undefined) throw new EffectRefused('the tracker is gone');
      return tracker.attach(row.issue_id ?? '', { url: effect.url, title: effect.title });
    }
    case 'tracker.agent_session':
      return sendActivities(deps, { tracker: row.tracker ?? '', sessionId: effect.sessionId });
    case 'codehost.open_pull_request':
      return openPullRequest(deps, row);
    case 'codehost.publish':
      await publish(deps, await issueOf(deps, row), effect.caller, []);
      return undefined;
    case 'codehost.deliver_again':
      await deliverAndRecord(deps, await issueOf(deps, row), effect.caller, []);
      return undefined;
  }
}

async function issueOf({ db }: Pick<Deps, 'db'>, row: OutboxRow): Promise<IssueRow> {
  const issue = await issueById(db, { tracker: row.tracker ?? '', id: row.issue_id ?? '' });
  if (issue === null) throw new EffectRefused('the issue is gone');
  return issue;
}

/** What follows when an effect is given up. */
export async function effectGivenUp(
  deps: Deps,
  row: OutboxRow,
  effect: Effect,
  end: { message: string; isRefused: boolean },
): Promise<void> {
  if (effect.kind === 'codehost.open_pull_request') await failDelivery(deps, row, end);
}
