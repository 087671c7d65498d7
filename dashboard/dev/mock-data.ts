import type { Attempt, TokenUsage } from '@switchyard/shared/api/attempt';
import type { Checkpoint } from '@switchyard/shared/api/checkpoint';
import type { Issue } from '@switchyard/shared/api/issue';
import type { LocalComment } from '@switchyard/shared/api/local-issue';
import type { HumanRequest } from '@switchyard/shared/api/request';
import type { Runner } from '@switchyard/shared/api/runner';

const START_MS = Date.now();
const MINUTE_MS = 60_000;

export const ago = (minutes: number): string =>
  new Date(START_MS - minutes * MINUTE_MS).toISOString();

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
  return {
    id: `local-${number}`,
    identifier: `SY-${number}`,
    tracker: 'local',
    title,
    description: null,
    priority: 0,
    state: 'Todo',
    branchName: null,
    url: null,
    labels: [],
    assigneeId: null,
    blockedBy: [],
    dispatchable: true,
    createdAt: ago(60 * number),
    updatedAt: ago(number),
    nativeRef: null,
    status: 'idle',
    reason: null,
    attemptCount: 0,
    nextRetryAt: null,
    model: null,
    templateId: null,
    pullRequestUrl: null,
    tokens: tokens(0),
    costUsd: null,
    ...extra,
  };
}

function attempt(of: Issue, number: number, extra: Partial<Attempt> = {}): Attempt {
  return {
    attemptId: `att-${of.identifier}-${number}`,
    issueId: of.id,
    identifier: of.identifier,
    number,
    status: 'running',
    phase: 'streaming',
    outcome: null,
    failureKind: null,
    errorMessage: null,
    runnerId: 'run-1',
    leaseEpoch: 1,
    threadId: 'thr-1',
    turnId: null,
    turnCount: 2,
    model: 'scripted-model',
    reasoningEffort: 'medium',
    branch: `switchyard/${of.identifier.toLowerCase()}`,
    commitSha: null,
    pullRequestUrl: null,
    summary: null,
    tokens: of.tokens,
    costUsd: null,
    queuedAt: ago(14),
    startedAt: ago(13),
    endedAt: null,
    ...extra,
  };
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
    nextRetryAt: new Date(START_MS + 4 * MINUTE_MS).toISOString(),
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

const byNumber = (identifier: string) =>
  issues.find((entry) => entry.identifier === identifier) ?? issue(0, '');

export const attempts: Attempt[] = [
  attempt(byNumber('SY-12'), 2, { tokens: tokens(52_100) }),
  attempt(byNumber('SY-12'), 1, {
    status: 'failed',
    outcome: 'failed',
    phase: null,
    failureKind: 'provider_unreachable',
    tokens: tokens(32_113),
    startedAt: ago(40),
    endedAt: ago(31),
    errorMessage:
      'stream disconnected before completion: error sending request for url (http://127.0.0.1:8787/v1/responses)',
  }),
  attempt(byNumber('SY-14'), 1, { startedAt: ago(6), turnCount: 1 }),
  attempt(byNumber('SY-9'), 3, {
    status: 'failed',
    outcome: 'stalled',
    phase: null,
    failureKind: 'turn_stalled',
    endedAt: ago(2),
    errorMessage: 'No message from the engine for 300 s',
  }),
  attempt(byNumber('SY-7'), 1, {
    status: 'completed',
    outcome: 'completed',
    phase: null,
    startedAt: ago(300),
    endedAt: ago(260),
  }),
  attempt(byNumber('SY-8'), 1, {
    status: 'completed',
    outcome: 'completed',
    phase: null,
    startedAt: ago(120),
    endedAt: ago(111),
    turnCount: 1,
  }),
  attempt(byNumber('SY-11'), 6, {
    status: 'failed',
    outcome: 'oom',
    phase: null,
    failureKind: 'container_oom',
    startedAt: ago(70),
    endedAt: ago(66),
    errorMessage: 'The container was killed at its limit of 4 GiB.',
  }),
];

export const requests: HumanRequest[] = [
  {
    requestId: 'req-1',
    attemptId: 'att-SY-14-1',
    identifier: 'SY-14',
    state: 'asked',
    answers: null,
    answeredBy: null,
    askedAt: ago(3),
    answeredAt: null,
    expiresAt: new Date(START_MS + 1_400 * MINUTE_MS).toISOString(),
    questions: [
      {
        id: 'q1',
        header: 'Storage',
        question: 'Which bucket should new avatars go to?',
        isSecret: false,
        options: [
          {
            label: 'assets-eu',
            description: 'Where the other uploads are; the lifecycle rule deletes nothing',
          },
          { label: 'avatars (new)', description: 'A bucket of its own with a public read policy' },
        ],
      },
      {
        id: 'q2',
        header: '',
        question: 'The access key for the staging bucket',
        isSecret: true,
        options: [],
      },
    ],
  },
  {
    requestId: 'req-0',
    attemptId: 'att-SY-8-1',
    identifier: 'SY-8',
    state: 'resumed',
    answers: { q1: ['Answer 401'] },
    answeredBy: 'local',
    askedAt: ago(119),
    answeredAt: ago(117),
    expiresAt: ago(-1_000),
    questions: [
      {
        id: 'q1',
        header: '',
        question: 'Should an unsigned delivery get 401 or 404?',
        isSecret: false,
        options: [],
      },
    ],
  },
];

export const runners: Runner[] = [
  {
    runnerId: 'run-1',
    name: 'workshop',
    status: 'connected',
    labels: ['linux', 'x64', 'docker'],
    slots: { total: 2, free: 0 },
    isolation: 'docker',
    version: '0.1.0',
    engineVersion: '0.169.0',
    warnings: [],
    attempts: ['att-SY-12-2', 'att-SY-14-1'],
    load: {},
    leaseUntil: null,
    lastSeenAt: ago(0),
    joinedAt: ago(9_000),
  },
  {
    runnerId: 'run-2',
    name: 'attic',
    status: 'connected',
    labels: ['linux', 'arm64'],
    slots: { total: 1, free: 1 },
    isolation: 'process',
    version: '0.1.0',
    engineVersion: '0.169.0',
    warnings: [
      'No Docker here: agents run as plain processes of this user. Run npm run sandbox:build to isolate them.',
    ],
    attempts: [],
    load: {},
    leaseUntil: null,
    lastSeenAt: ago(0.2),
    joinedAt: ago(300),
  },
  {
    runnerId: 'run-3',
    name: 'old-laptop',
    status: 'offline',
    labels: [],
    slots: { total: 1, free: 1 },
    isolation: null,
    version: '0.1.0',
    engineVersion: null,
    warnings: [],
    attempts: [],
    load: {},
    leaseUntil: null,
    lastSeenAt: ago(2_900),
    joinedAt: ago(20_000),
  },
];

const TRIGGERS = ['thread_started', 'turn_completed', 'turn_completed'] as const;

export function checkpointsOf(attemptId: string | undefined): Checkpoint[] {
  return TRIGGERS.map((trigger, position) => ({
    checkpointId: `cp-${position}`,
    attemptId: attemptId ?? '',
    ordinal: position + 1,
    trigger,
    eventSeq: position * 9,
    threadId: 'thr-1',
    turnId: position === 0 ? null : `turn-${position}`,
    commitSha: position === 0 ? null : `8c1f0d2ab9e4${position}d`,
    tokens: tokens(position * 21_400),
    createdAt: ago(12 - position * 5),
  }));
}

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
