import { z } from 'zod';
import { ListedIssueFacts } from './issue.ts';
import { PullRequest } from './pull-request.ts';
import { HumanRequest } from './request.ts';
import { namedObject } from '../../named-object.ts';

/** Groups of issues in lists. An issue may be in several. */
export const IssueGroup = z
  .enum(['person', 'running', 'waiting', 'blocked', 'failed'])
  .meta({ id: 'IssueGroup' });
export type IssueGroup = z.infer<typeof IssueGroup>;

/**
 * What an issue needs a person for: an agent's `question`, an action after it `stopped` or before
 * it can `start`, or the `review` of its pull request.
 */
export const IssueNeed = z.enum(['question', 'stopped', 'start', 'review']);
export type IssueNeed = z.infer<typeof IssueNeed>;

/** A pull request that waits for a review, on any code host. */
export const OpenReview = namedObject('OpenReview', {
  ...PullRequest.pick({ id: true, number: true, title: true, url: true }).shape,
  ...PullRequest.pick({ draft: true, createdAt: true }).shape,
});
export type OpenReview = z.infer<typeof OpenReview>;

export const ListedIssue = ListedIssueFacts.extend({
  /** What the issue needs a person for, the most urgent first; empty: nothing. */
  needs: z.array(IssueNeed),
  /** Unanswered questions, oldest first. */
  requests: z.array(HumanRequest),
  /** Pull requests that wait for a review, newest first. */
  reviews: z.array(OpenReview),
}).meta({ id: 'ListedIssue' });
export type ListedIssue = z.infer<typeof ListedIssue>;

export const IssueList = namedObject('IssueList', {
  issues: z.array(ListedIssue),
  /** Number of issues that match the filter. */
  total: z.int(),
  /**
   * Number of issues in each group, each issue counted once, by the same conditions as the lists.
   */
  counts: z.object({
    person: z.int(),
    running: z.int(),
    waiting: z.int(),
    blocked: z.int(),
    failed: z.int(),
  }),
  /**
   * True: every agent that holds a slot waits for a person's answer, and each of these answers
   * would free a slot for any waiting issue.
   */
  slotsAwaitAnswers: z.boolean(),
});
export type IssueList = z.infer<typeof IssueList>;
