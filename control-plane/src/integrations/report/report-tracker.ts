import { type Tracker, TrackerError } from '../../ports/tracker/tracker.ts';

/** Tracker kind of reports, whose issues no tracker for people shows. */
export const REPORT_TRACKER = 'report';
export const REPORT_STATES = { active: 'Reporting', ended: 'Reported' } as const;

/**
 * The tracker of read-only work. Automations create its issues as rows; there is no outside
 * service, so writes change nothing and succeed at once. Only `createIssue` fails.
 */
export const reportTracker: Tracker = {
  kind: REPORT_TRACKER,
  stateRoles: () => ({
    active: [REPORT_STATES.active],
    terminal: [REPORT_STATES.ended],
    started: null,
    review: null,
    blocked: null,
  }),
  fetchByStates: () => Promise.resolve([]),
  fetchByIds: () => Promise.resolve([]),
  listStates: () => Promise.resolve([]),
  transition: (_issueId, state) => Promise.resolve({ before: state, state, updatedAtMs: null }),
  upsertComment: (issueId) => Promise.resolve(issueId),
  attach: () => Promise.resolve(),
  createIssue: () =>
    Promise.reject(new TrackerError('status', 'reports are made by automations only')),
};
