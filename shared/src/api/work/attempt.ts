import { z } from 'zod';
import { ReasonCode } from './reason-code.ts';
import { namedObject } from '../../named-object.ts';

export const AttemptStatus = z.enum(['queued', 'running', 'completed', 'failed', 'cancelled']);
export type AttemptStatus = z.infer<typeof AttemptStatus>;

/**
 * `work`: an agent changes the repository, or reports on it. `plan`: it only reads and hands in a
 * plan. `review`: it only reads the work of another agent and hands in a review. `check`: no agent;
 * the merge of a pull request is tested.
 */
export const AttemptKind = z.enum(['work', 'plan', 'review', 'check']);
export type AttemptKind = z.infer<typeof AttemptKind>;

export const AttemptPhase = z.enum([
  'offered',
  'leased',
  'workspace',
  'starting',
  'streaming',
  'delivering',
]);
export type AttemptPhase = z.infer<typeof AttemptPhase>;

export const AttemptOutcome = z.enum(['completed', 'failed', 'oom', 'stalled', 'cancelled']);
export type AttemptOutcome = z.infer<typeof AttemptOutcome>;

export const FailureKind = z.enum([
  'agent_error',
  'container_oom',
  'turn_stalled',
  'agent_stalled',
  'runner_lost',
  'workspace_error',
  'delivery_error',
  'delivery_refused',
  'budget_exceeded',
  'usage_limited',
  'auth_failed',
  'provider_unreachable',
  'retries_exhausted',
]);
export type FailureKind = z.infer<typeof FailureKind>;

/** Token counts of an attempt, or of a part of it. */
export const TokenUsage = namedObject('TokenUsage', {
  input: z.number(),
  cachedInput: z.number(),
  output: z.number(),
  reasoning: z.number(),
  total: z.number(),
});
export type TokenUsage = z.infer<typeof TokenUsage>;

const Timestamp = z.iso.datetime();

/** One run of an agent on one issue. */
export const Attempt = namedObject('Attempt', {
  attemptId: z.string(),
  issueId: z.string(),
  identifier: z.string(),
  number: z.int(),
  kind: AttemptKind,
  status: AttemptStatus,
  phase: AttemptPhase.nullable(),
  outcome: AttemptOutcome.nullable(),
  failureKind: FailureKind.nullable(),
  /** Why the attempt ended, more precise than the kind of failure; null while it has not ended. */
  reasonCode: ReasonCode.nullable(),
  /** The status line with which the agent ended its work; null: it ended without one. */
  marker: z.enum(['DONE', 'BLOCKED']).nullable(),
  errorMessage: z.string().nullable(),
  runnerId: z.string().nullable(),
  leaseEpoch: z.int(),
  threadId: z.string().nullable(),
  turnId: z.string().nullable(),
  turnCount: z.int(),
  /** Agent engine that works on the attempt. */
  engine: z.string(),
  /** Version that the engine reported; null before it answered. */
  engineVersion: z.string().nullable(),
  /** Name of the model provider's account in the configuration; null: there is only one. */
  account: z.string().nullable(),
  /** Id of the refused attempt that this one continues on another engine or account; null: none. */
  failedOverFrom: z.string().nullable(),
  model: z.string().nullable(),
  reasoningEffort: z.string().nullable(),
  branch: z.string().nullable(),
  commitSha: z.string().nullable(),
  pullRequestUrl: z.string().nullable(),
  summary: z.string().nullable(),
  tokens: TokenUsage,
  costUsd: z.number().nullable(),
  /** Tokens of models without a price, which the cost does not include. */
  unpricedTokens: z.int(),
  queuedAt: Timestamp,
  startedAt: Timestamp.nullable(),
  endedAt: Timestamp.nullable(),
  /**
   * When somebody requested a stop; null: nobody did. The attempt counts as stopping until its
   * runner confirms.
   */
  stopRequestedAt: Timestamp.nullable().optional(),
});
export type Attempt = z.infer<typeof Attempt>;

/** One event of the service-wide event stream. */
export const StreamEvent = namedObject('StreamEvent', {
  seq: z.int(),
  type: z.string(),
  at: Timestamp,
  data: z.record(z.string(), z.unknown()),
});
export type StreamEvent = z.infer<typeof StreamEvent>;

export const AttemptDetail = Attempt.extend({ events: z.array(StreamEvent) }).meta({
  id: 'AttemptDetail',
});
export type AttemptDetail = z.infer<typeof AttemptDetail>;

export const AttemptList = namedObject('AttemptList', {
  attempts: z.array(Attempt),
  currentAttemptId: z.string().nullable(),
});
export type AttemptList = z.infer<typeof AttemptList>;
