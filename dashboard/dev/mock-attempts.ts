import type { Attempt } from '@switchyard/shared/api/work/attempt';
import type { Checkpoint } from '@switchyard/shared/api/work/checkpoint';
import type { Issue } from '@switchyard/shared/api/work/issue';
import { issue, issues, tokens } from './mock-issues.ts';
import { ago } from './mock-time.ts';

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
    reasonCode: null,
    marker: null,
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
