import { z } from 'zod';
import { Attempt, StreamEvent, TokenUsage } from './attempt.ts';

export const IssueStatus = z.enum([
  'idle',
  'queued',
  'running',
  'retrying',
  'blocked',
  'completed',
  'failed',
  'cancelled',
]);
export type IssueStatus = z.infer<typeof IssueStatus>;

export const Blocker = z
  .object({ id: z.string(), identifier: z.string(), state: z.string().nullable() })
  .meta({ id: 'Blocker' });
export type Blocker = z.infer<typeof Blocker>;

/** An issue of the tracker together with what the orchestrator knows about it. */
export const Issue = z
  .object({
    id: z.string(),
    identifier: z.string(),
    tracker: z.string(),
    title: z.string(),
    description: z.string().nullable(),
    /** 1 urgent … 4 low; null or 0: none. */
    priority: z.int().nullable(),
    state: z.string(),
    branchName: z.string().nullable(),
    url: z.string().nullable(),
    labels: z.array(z.string()),
    assigneeId: z.string().nullable(),
    blockedBy: z.array(Blocker),
    dispatchable: z.boolean(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    nativeRef: z.string().nullable(),
    status: IssueStatus,
    /** Why it waits or ended, in words. */
    reason: z.string().nullable(),
    attemptCount: z.int(),
    nextRetryAt: z.iso.datetime().nullable(),
    model: z.string().nullable(),
    templateId: z.string().nullable(),
    pullRequestUrl: z.string().nullable(),
    tokens: TokenUsage,
    costUsd: z.number().nullable(),
  })
  .meta({ id: 'Issue' });
export type Issue = z.infer<typeof Issue>;

export const IssueDetail = Issue.extend({
  recentEvents: z.array(StreamEvent),
  /** Newest first. */
  attempts: z.array(Attempt),
  currentAttemptId: z.string().nullable(),
}).meta({ id: 'IssueDetail' });
export type IssueDetail = z.infer<typeof IssueDetail>;

export const AbortResponse = z
  .object({
    ok: z.boolean(),
    status: z.literal('stopping'),
    alreadyStopping: z.boolean(),
    requestedAt: z.iso.datetime(),
  })
  .meta({ id: 'AbortResponse' });
export const RetryResponse = z
  .object({ ok: z.boolean(), status: IssueStatus, requestedAt: z.iso.datetime() })
  .meta({ id: 'RetryResponse' });
