import { z } from 'zod';
import { CreateLocalIssue, LOCAL_STATES } from '@switchyard/shared/api/work/local-issue';
import { SERVICE_CALLER } from '../../../http/caller/caller.ts';
import { type Tracker, TrackerError } from '../../../ports/tracker/tracker.ts';
import { attachToLocalIssue } from './comments/attach-to-local-issue.ts';
import { createLocalIssue, createSubIssues } from './create-local-issue.ts';
import { knownStates, localStateRoles } from './local-state-roles.ts';
import { LOCAL_TRACKER, type LocalTrackerDeps } from './local-tracker-deps.ts';
import { localIssuesByIds, localIssuesByStates, localIssuesChanged } from './queries.ts';
import { issueForService } from './comments/service-write.ts';
import { newestLocalComments } from './comments/newest-local-comments.ts';
import { trackerIssues } from './tracker-issue.ts';
import { transitionLocalIssue } from './transition-local-issue.ts';
import { upsertServiceComment } from './comments/upsert-service-comment.ts';

const BY_SERVICE = { ...SERVICE_CALLER, path: 'tracker' };

/** The built-in tracker behind the port: issues in this service's own database. */
export function createLocalTracker(deps: LocalTrackerDeps): Tracker {
  return {
    kind: LOCAL_TRACKER,
    stateRoles: () => localStateRoles(deps.settings),
    fetchByStates: async (states) =>
      trackerIssues(deps, await localIssuesByStates(deps.db, knownStates(states))),
    fetchChanged: async (sinceMs) =>
      trackerIssues(deps, await localIssuesChanged(deps.db, sinceMs)),
    fetchByIds: async (ids) => trackerIssues(deps, await localIssuesByIds(deps.db, ids)),
    listStates: async (issueId) => {
      await issueForService(deps, issueId);
      return [...LOCAL_STATES];
    },
    transition: (issueId, toState) => transitionLocalIssue(deps, issueId, toState),
    upsertComment: (issueId, key, body) => upsertServiceComment(deps, { issueId, key, body }),
    listComments: (issueId, limit) => newestLocalComments(deps, issueId, limit),
    attach: (issueId, attachment) => attachToLocalIssue(deps, issueId, attachment),
    createIssue: async (input) => {
      const parsed = CreateLocalIssue.safeParse(input);
      if (!parsed.success) throw new TrackerError('status', z.prettifyError(parsed.error));
      return createLocalIssue(deps, BY_SERVICE, parsed.data);
    },
    createSubIssues: (parent, plans) => createSubIssues(deps, BY_SERVICE, parent, plans),
  };
}
