import type { TokenUsage } from '@switchyard/shared/api/work/attempt';
import type { Issue } from '@switchyard/shared/api/work/issue';
import type { LocalComment } from '@switchyard/shared/api/work/local-issue';
import { blankIssue } from './blank-issue.ts';
import { ago, ahead } from './mock-time.ts';

export function tokens(total: number): TokenUsage {
  return {
    input: Math.round(total * 0.9),
    cachedInput: Math.round(total * 0.7),
    output: Math.round(total * 0.1),
    reasoning: Math.round(total * 0.04),
    total,
  };
}

export function issue(number: number, title: string, extra: Partial<Issue> = {}): Issue {
  const blank = blankIssue(number, ago(number));
  return { ...blank, title, createdAt: ago(60 * number), ...extra };
}

const DESCRIPTION = `\`parseDuration("1h30m")\` answers \`1800000\` instead of \`5400000\`: the hours are lost as soon as minutes follow.

### Done when
- the failing test in test/duration.test.js passes
- "90m", "1h30m" and "1h 30m" agree
- nothing else in the public API changes`;

export const issues: Issue[] = [
  issue(12, 'parseDuration loses the hours when minutes follow', {
    state: 'In Progress',
    status: 'running',
    priority: 1,
    labels: ['bug', 'parser'],
    description: DESCRIPTION,
    attemptCount: 2,
    tokens: tokens(84_213),
    updatedAt: ago(1),
  }),
  issue(14, 'Choose where uploaded avatars are stored and move the old ones', {
    state: 'In Progress',
    status: 'running',
    priority: 2,
    labels: ['storage'],
    attemptCount: 1,
    tokens: tokens(31_900),
    reason: 'The agent asks which bucket to use',
  }),
  issue(9, 'Send the weekly digest in the reader’s own time zone', {
    state: 'In Progress',
    status: 'retrying',
    priority: 2,
    labels: ['mail', 'i18n'],
    attemptCount: 3,
    tokens: tokens(210_400),
    reason: 'turn_stalled',
    nextRetryAt: ahead(4),
  }),
  issue(7, 'Upgrade the payment SDK to version 9', {
    state: 'In Progress',
    status: 'blocked',
    priority: 3,
    labels: ['dependencies'],
    attemptCount: 1,
    tokens: tokens(1_240_000),
    reason: 'The agent says: version 9 needs an account setting that only an owner can change',
  }),
  issue(15, 'Rate limit the search endpoint', {
    status: 'queued',
    priority: 2,
    labels: ['backend', 'api', 'security', 'limits'],
    reason: 'Waits for a free slot: 2 of 2 in use',
  }),
  issue(16, 'Search results keep the filter after going back', {
    status: 'queued',
    priority: 3,
    labels: ['frontend'],
    reason: 'Waits for SY-15',
    blockedBy: [{ id: 'local-15', identifier: 'SY-15', state: 'Todo' }],
  }),
  issue(11, 'Nightly export runs out of memory with 2 million rows', {
    status: 'failed',
    priority: 1,
    labels: ['bug', 'export'],
    attemptCount: 6,
    tokens: tokens(2_913_000),
    reason: 'retries_exhausted',
  }),
  issue(18, 'Dark mode for the status page', {
    state: 'Backlog',
    priority: 4,
    labels: ['frontend'],
  }),
  issue(19, '<img src=x onerror=alert(1)> "quotes" $(touch /tmp/x) \u202Etxet lautcapxe\u202C', {
    state: 'Backlog',
  }),
  issue(20, 'Document how backups are restored', {
    state: 'Backlog',
    labels: ['docs'],
    priority: 3,
  }),
  issue(8, 'Validate webhook signatures in constant time', {
    state: 'In Review',
    status: 'completed',
    priority: 1,
    labels: ['security'],
    attemptCount: 1,
    tokens: tokens(64_020),
    pullRequestUrl: '/pull-requests/pr-4',
  }),
  issue(10, 'Retry uploads that break off half way', {
    state: 'In Review',
    status: 'completed',
    priority: 3,
    attemptCount: 2,
    tokens: tokens(154_800),
    pullRequestUrl: '/pull-requests/pr-5',
  }),
  ...[1, 2, 3, 4, 5].map((number) =>
    issue(
      number,
      [
        'Make the health check cheap',
        'Remove the unused feature flags',
        'Show the build’s commit in the footer',
        'Sort invoices by date and then by number',
        'Fix the flaky login test',
      ][number - 1] ?? '',
      {
        state: 'Done',
        status: 'completed',
        attemptCount: 1,
        tokens: tokens(40_000 + number * 7_321),
        updatedAt: ago(1_000 + number * 400),
      },
    ),
  ),
];

export const comments: LocalComment[] = [
  {
    id: 'c1',
    author: 'Mara',
    byService: false,
    body: 'Please keep "1h 30m" with a blank working, the importer sends it.',
    createdAt: ago(50),
    updatedAt: ago(50),
  },
  {
    id: 'c2',
    author: 'Switchyard',
    byService: true,
    body: `**Switchyard**: needs your input (attempt 2)

> Attempt 1 ended because the provider could not be reached.
>
> - \`parseDuration\` reads the hours now
> - the importer still has to be looked at

Question: Should "90" without a unit mean minutes?

Next: answer the question on the issue’s page; the agent waits.

[Follow the work](/issues/SY-12)`,
    createdAt: ago(40),
    updatedAt: ago(13),
  },
];
