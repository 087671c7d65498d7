import { type Tracker, TrackerError, type TrackerIssue } from '../../ports/tracker/tracker.ts';
import { refuseUnreadable } from '../../ports/tracker/refuse-unreadable.ts';
import { createLinearIssue } from './create-issue.ts';
import { ATTACH } from './api/documents.ts';
import type { LinearAllowance, LinearClient } from './api/linear-client.ts';
import { createLinearAgentSessions } from './linear-agent-sessions.ts';
import { linearIssue } from './linear-issue.ts';
import { LINEAR_TRACKER, type LinearSettings } from './linear-settings.ts';
import { moveLinearIssue, statesOfIssue } from './move-issue.ts';
import { readLinearComments } from './comments/read-comments.ts';
import { readIssueProbes, readStillBlocked } from './read-issue-probes.ts';
import { readIssuesByIds, readIssuesInStates } from './read-issues.ts';
import { readNewComments } from './comments/read-new-comments.ts';
import type { IssueData } from './api/rows.ts';
import { upsertLinearComment } from './comments/upsert-linear-comment.ts';

export type LinearTrackerDeps = {
  settings: LinearSettings;
  ask: LinearClient;
  /** Updated by the client. */
  allowance: Readonly<LinearAllowance>;
};

/** Linear behind the port of trackers. */
export function createLinearTracker(deps: LinearTrackerDeps): Tracker {
  const { ask, settings, allowance } = deps;
  const toPort = (found: readonly IssueData[]): TrackerIssue[] =>
    found.map((data) => linearIssue(data, settings.roles(), settings.scope()));
  const fetchByIds: Tracker['fetchByIds'] = async (ids, onUnreadable = refuseUnreadable) =>
    toPort(await readIssuesByIds({ ask, onUnreadable }, ids));
  return {
    kind: LINEAR_TRACKER,
    agentSessions: createLinearAgentSessions(ask),
    stateRoles: () => settings.roles(),
    fetchByStates: async (states, onUnreadable = refuseUnreadable) =>
      toPort(await readIssuesInStates({ ask, onUnreadable }, states, settings.scope())),
    probe: (of, onUnreadable = refuseUnreadable) =>
      readIssueProbes({ ask, onUnreadable }, of, settings.scope()),
    stillBlocked: (ids) => readStillBlocked({ ask }, ids),
    allowanceLeft: () => allowance.left,
    newComments: (query) => readNewComments(ask, query, settings.scope()),
    fetchByIds,
    listStates: (issueId) => statesOfIssue(ask, issueId),
    transition: (issueId, toState) => moveLinearIssue(ask, issueId, toState),
    upsertComment: (issueId, key, body) => upsertLinearComment(ask, { issueId, key, body }),
    listComments: (issueId, limit) => readLinearComments(ask, issueId, limit),
    attach: async (issueId, { url, title }) => {
      await ask(ATTACH, { input: { issueId, url, title: title.toWellFormed() } });
    },
    createIssue: async (input) => {
      const { team } = settings.scope();
      const id = await createLinearIssue(ask, input, { team, roles: settings.roles() });
      const [issue] = await fetchByIds([id]);
      if (issue === undefined) throw new TrackerError('response', 'the new issue is not there');
      return issue;
    },
  };
}
