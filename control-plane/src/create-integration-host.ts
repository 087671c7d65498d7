import { renewTrackerToken } from './admin/setup/tracker/tracker-sign-in.ts';
import { visibleLine, visibleText } from './attempts/prompt/untrusted-text.ts';
import type { Deps } from './deps.ts';
import type { IntegrationHost } from './integrations/integration.ts';
import { handleComment } from './issues/actions/handle-comment.ts';
import { refuseUnreadable } from './ports/tracker/refuse-unreadable.ts';
import { syncIssues } from './issues/sync/sync-tracker-issues.ts';
import { handleSessionEvent } from './people/agent-sessions/handle-session-event.ts';
import { openSession } from './people/agent-sessions/open-session.ts';
import { sendActivitiesNow } from './people/agent-sessions/send-activities.ts';
import { takeUpIssue } from './people/agent-sessions/take-up-issue.ts';
import { createKeyedLock } from '@switchyard/shared/keyed-lock';
import { belongsToSession } from './people/agent-sessions/queries.ts';

/**
 * What the core offers to integrations. `deps` is read on each use, because it is built from them.
 */
export function createIntegrationHost(deps: () => Deps): IntegrationHost {
  const inTurn = createKeyedLock();
  return {
    async syncIssues(tracker, ids) {
      const { unreadable } = await syncIssues(deps(), tracker, ids);
      // A webhook about an issue that could not be read is retried.
      const refused = unreadable.find(({ isRefused }) => isRefused === true);
      if (refused !== undefined) refuseUnreadable(refused);
    },
    handleComment: (comment) => handleComment(deps(), comment),
    isInSession: (tracker, place) => belongsToSession(deps().db, tracker, place),
    handleSessionEvent: ({ message, person, ...event }) =>
      inTurn(event.sessionId, () =>
        handleSessionEvent(
          {
            ...deps(),
            openSession: openSession.bind(undefined, deps()),
            takeUpIssue: takeUpIssue.bind(undefined, deps()),
            sendActivitiesNow: sendActivitiesNow.bind(undefined, deps()),
          },
          {
            ...event,
            person: visibleLine(person?.name || person?.id || 'somebody'),
            message: message && { ...message, text: visibleText(message.text) },
          },
        ),
      ),
    renewTrackerToken: () => renewTrackerToken(deps()),
  };
}
