import { issueById } from '../../issues/queries.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import { sendActivities } from '../../people/agent-sessions/send-activities.ts';
import { CodeHostError } from '../code-host.ts';
import type { JobRow } from '../../db/schema/operation/jobs.ts';
import type { Deps } from '../../deps.ts';
import { Effect } from '../../jobs/queue/effect.ts';
import { type JobHandler, JobRefused } from '../../jobs/queue/run-jobs.ts';
import { publish } from '../../issues/actions/publish-issue.ts';
import { finishMove } from '../../issues/actions/record-move.ts';
import { TrackerError } from '../../issues/tracker/tracker.ts';
import { deliverAndRecord } from './deliver-again.ts';
import { failDelivery, openPullRequest } from './open-pull-request.ts';
import { transitionIssue } from './transition-issue.ts';
import { updateComment } from './update-comment.ts';

/** Does effects on the outside world. A pull request that is given up is its attempt's end. */
export function effectHandler(deps: Deps): JobHandler {
  return {
    async run(job) {
      try {
        await performEffect(deps, job);
      } catch (error) {
        const isFinal =
          (error instanceof TrackerError && error.isRefusal) ||
          (error instanceof CodeHostError && !error.retryable);
        // What cannot succeed is not tried again.
        throw isFinal ? new JobRefused(error.message) : error;
      }
      return [];
    },
    async givenUp(job, end) {
      if (job.kind === 'codehost.open_pull_request') await failDelivery(deps, job, end);
    },
  };
}

async function performEffect(deps: Deps, row: JobRow): Promise<void> {
  const parsed = Effect.safeParse({ kind: row.kind, ...row.payload });
  // Written by another version: it must not hold up the effects after it.
  if (!parsed.success) throw new JobRefused('it was written by another version');
  const effect = parsed.data;
  switch (effect.kind) {
    case 'tracker.transition':
      return transitionIssue(deps, row, effect);
    case 'tracker.move':
      return finishMove(deps, await issueOf(deps, row), effect);
    case 'tracker.comment':
      return updateComment(deps, row);
    case 'tracker.attach': {
      const tracker = deps.trackers.get(row.tracker ?? '');
      if (tracker === undefined) throw new JobRefused('the tracker is gone');
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

async function issueOf({ db }: Pick<Deps, 'db'>, row: JobRow): Promise<IssueRow> {
  const issue = await issueById(db, { tracker: row.tracker ?? '', id: row.issue_id ?? '' });
  if (issue === null) throw new JobRefused('the issue is gone');
  return issue;
}
