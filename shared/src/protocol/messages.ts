import { z } from 'zod';
import { Isolation } from '../sandbox/isolation.ts';
import { AttemptOutcome, FailureKind } from '../api/work/attempt.ts';
import { DiffStat } from '../api/work/diff-stat.ts';
import { OutsideScope } from '../evidence/scope.ts';
import { AttemptEventItem, ReportedTokens } from './attempt-event.ts';
import { AttemptSpec } from './attempt-spec.ts';
import { RunnerEngine } from '../engine/runner-engine.ts';
import { IsolationLevels } from '../sandbox/isolation-level.ts';
import { MAX_HELD, MAX_LABELS, MAX_SUMMARY_CHARS } from './limits.ts';

/** Identifies one lease of one attempt: every write about an attempt carries it. */
const Ref = { attemptId: z.string().max(64), epoch: z.int().min(1) };

/** Why a runner must stop an attempt. Sent only for a proven mismatch, never on suspicion. */
export const FenceCode = z.enum([
  'LEASE_LOST',
  'ATTEMPT_TERMINAL',
  'STALE_SESSION',
  'UNKNOWN_ATTEMPT',
  'RUNNER_REVOKED',
  'SPEC_REVOKED',
]);
export type FenceCode = z.infer<typeof FenceCode>;

export const HeldPhase = z.enum(['accepted', 'starting', 'running', 'finishing', 'dying']);
export type HeldPhase = z.infer<typeof HeldPhase>;

/** One entry of a runner's inventory, which merges its journal with its labelled containers. */
export const HeldItem = z.object({
  ...Ref,
  phase: HeldPhase,
  containerId: z.string().max(200).nullable(),
  spooledSeq: z.int().min(0),
  ackedSeq: z.int().min(0),
});
export type HeldItem = z.infer<typeof HeldItem>;

export const Slots = z.object({ total: z.int().min(0).max(1000), free: z.int().min(0).max(1000) });

const CancelOrder = z.object({ reason: z.string(), graceMs: z.int().min(0) });
export type CancelOrder = z.infer<typeof CancelOrder>;

/** A person's answer, repeated until the runner's events confirm it. Idempotent by requestId. */
export const AnswerOrder = z.object({
  requestId: z.string(),
  answers: z.record(z.string(), z.array(z.string())),
});
export type AnswerOrder = z.infer<typeof AnswerOrder>;

/** A person's message to the live turn, repeated until confirmed. Idempotent by messageId. */
export const SteerOrder = z.object({ messageId: z.string(), text: z.string() });
export type SteerOrder = z.infer<typeof SteerOrder>;

export const Verdict = z.discriminatedUnion('verdict', [
  z.object({
    ...Ref,
    verdict: z.literal('keep'),
    ackedSeq: z.int().min(0),
    attemptToken: z.string().optional(),
    cancel: CancelOrder.optional(),
    answers: z.array(AnswerOrder).optional(),
    steers: z.array(SteerOrder).optional(),
  }),
  z.object({ ...Ref, verdict: z.literal('offered') }),
  z.object({ ...Ref, verdict: z.literal('stop'), code: FenceCode }),
]);
export type Verdict = z.infer<typeof Verdict>;

/** A piece of text of an item that has not ended. */
export const LiveTextItem = z.object({ itemId: z.string(), stream: z.string(), text: z.string() });
export type LiveTextItem = z.infer<typeof LiveTextItem>;

/** Percent of one processor, so it may exceed 100. */
const Percent = z.number().min(0).max(1_000_000);

const RunnerMessages = [
  z.object({
    type: z.literal('hello'),
    protocol: z.object({ min: z.int(), max: z.int() }),
    runnerId: z.string().max(64),
    /** Changes with every boot of the host. */
    bootId: z.string().max(128),
    /**
     * Differs on a machine with a copy of this runner's disk; absent where the machine has no id.
     */
    machineId: z.string().max(128).optional(),
    /** Changes with every start of the runner process. */
    instanceId: z.string().max(128),
    version: z.string().max(64),
    features: z.array(z.string().max(64)).max(64),
    labels: z.array(z.string().max(128)).max(MAX_LABELS),
    slots: Slots,
    isolation: Isolation,
    /** Absent: the runner does not report them. */
    isolationLevels: IsolationLevels.optional(),
    engineVersion: z.string().max(200).optional(),
    /**
     * Agent engines that attempts can use on this runner. Absent, from older runners: only the
     * default one.
     */
    engines: z.array(RunnerEngine).max(16).optional(),
    /** Warnings for people about weaknesses of this runner, for example the process engine. */
    warnings: z.array(z.string().max(500)).max(16),
    draining: z.boolean(),
    held: z.array(HeldItem).max(MAX_HELD),
  }),
  z.object({ type: z.literal('accept'), ...Ref, ref: z.string().max(64) }),
  z.object({
    type: z.literal('decline'),
    ...Ref,
    code: z.enum(['NO_SLOT', 'DISK_LOW', 'LABEL', 'SPEC_INVALID', 'DRAINING']),
    message: z.string().max(1_000).optional(),
  }),
  z.object({
    type: z.literal('renew'),
    ref: z.string().max(64),
    held: z.array(HeldItem).max(MAX_HELD),
    slots: Slots,
    /** CPU and memory percent by attempt id, for the container gauges. */
    load: z
      .record(z.string(), z.object({ cpuPercent: Percent, memoryPercent: Percent }))
      .optional(),
  }),
  z.object({
    type: z.literal('events'),
    ...Ref,
    /** `seq` of the first item. */
    from: z.int().min(1),
    items: z.array(AttemptEventItem).min(1).max(512),
  }),
  z.object({
    type: z.literal('delta'),
    ...Ref,
    items: z.array(LiveTextItem).max(512),
  }),
  z.object({
    type: z.literal('finish'),
    ...Ref,
    /** Number of events of this epoch; `finish` is accepted only when as many are stored. */
    finalSeq: z.int().min(0),
    /** Hash chain over the epoch's events, see extend-digest.ts. */
    digest: z.string().length(64),
    outcome: AttemptOutcome,
    failureKind: FailureKind.optional(),
    /**
     * A more precise cause than the kind, see api/work/reason-code.ts; an unknown one is ignored.
     */
    reasonCode: z.string().max(64).optional(),
    /**
     * The upstream that caused `provider_unreachable` or `auth_failed`; absent: the model provider.
     */
    upstream: z.enum(['provider', 'codehost']).optional(),
    message: z.string().max(4_000).optional(),
    /** The status line with which the agent ended its work; null: none. */
    marker: z.enum(['DONE', 'BLOCKED']).nullable(),
    summary: z.string().max(MAX_SUMMARY_CHARS).nullable(),
    usage: ReportedTokens.optional(),
    /** When a provider limit resets, epoch milliseconds. */
    resetAtMs: z.number().optional(),
    /** Present when the base branch contains the merge of a specification's `merge`. */
    merged: z
      .object({ baseCommit: z.string().max(64), mergeCommit: z.string().max(64) })
      .optional(),
    /**
     * Present when a branch was or will be pushed; with `delivery_refused`, the work that is kept.
     */
    delivery: z
      .object({
        branch: z.string(),
        baseBranch: z.string(),
        baseCommit: z.string(),
        commitSha: z.string(),
        diffStat: DiffStat,
        /** Present where the specification has a scope. */
        outsideScope: OutsideScope.optional(),
        /** Blob with the unified diff, stored before this message. */
        diffBlob: z.string().optional(),
        /**
         * False: the push failed for a temporary reason, given in `message`; the mirror keeps the
         * commit, and a runner pushes it when the control plane sends `branch.publish`.
         */
        pushed: z.boolean().optional(),
      })
      .optional(),
  }),
  z.object({
    type: z.literal('released'),
    ...Ref,
    why: z.string().max(400),
    container: z.literal('dead'),
    /**
     * True: the runner was ordered to stop, or drains. Otherwise an error made it release, which
     * counts as a loss.
     */
    orderly: z.boolean().optional(),
  }),
  z.object({ type: z.literal('drain'), deadlineMs: z.int().min(0) }),
] as const;

const ControlPlaneMessages = [
  z.object({
    type: z.literal('welcome'),
    session: z.int(),
    protocol: z.int(),
    ttlMs: z.int(),
    renewMs: z.int(),
    pingMs: z.int(),
    offerTtlMs: z.int(),
    window: z.object({ events: z.int(), bytes: z.int() }),
    maxFrameBytes: z.int(),
    /** Features beyond the protocol's version that the control plane supports, see features.ts. */
    features: z.array(z.string().max(64)).max(64).optional(),
    verdicts: z.array(Verdict),
  }),
  z.object({
    type: z.literal('offer'),
    ...Ref,
    expiresInMs: z.int(),
    spec: AttemptSpec,
  }),
  z.object({
    type: z.literal('granted'),
    ...Ref,
    ref: z.string(),
    ttlMs: z.int(),
    /** Valid for blobs of this epoch only; never enters a container. */
    attemptToken: z.string(),
    /**
     * JWE (ECDH-ES to the runner's X25519 key) of `{providerApiKey, workSecrets}`, the latter under
     * the names that the specification grants; absent when there is neither.
     */
    sealedSecrets: z.string().optional(),
  }),
  z.object({
    type: z.literal('renewed'),
    ref: z.string(),
    ttlMs: z.int(),
    verdicts: z.array(Verdict),
  }),
  z.object({ type: z.literal('ack'), ...Ref, upto: z.int().min(0), window: z.int().optional() }),
  z.object({ type: z.literal('cancel'), ...Ref, reason: z.string(), graceMs: z.int() }),
  z.object({ type: z.literal('answer'), ...Ref, answer: AnswerOrder }),
  z.object({ type: z.literal('steer'), ...Ref, steer: SteerOrder }),
  z.object({ type: z.literal('finished'), ...Ref }),
  z.object({ type: z.literal('fence'), ...Ref, code: FenceCode, currentEpoch: z.int().nullable() }),
  /** Revokes an order to drain; a runner that drains on its own initiative continues to do so. */
  z.object({ type: z.literal('undrain') }),
  z.object({ type: z.literal('goaway'), reason: z.string(), afterMs: z.int() }),
] as const;

/** From either side: a request that ends with the session and runs at most once. */
const Call = z.object({
  type: z.literal('call'),
  callId: z.string().max(64),
  attemptId: z.string().max(64).optional(),
  epoch: z.int().optional(),
  method: z.string().max(64),
  params: z.record(z.string(), z.unknown()),
  timeoutMs: z.int().min(1),
});
const Result = z.object({
  type: z.literal('result'),
  callId: z.string().max(64),
  ok: z.boolean(),
  value: z.unknown().optional(),
  error: z.object({ code: z.string().max(64), message: z.string().max(4_000) }).optional(),
});
const ErrorMessage = z.object({
  type: z.literal('error'),
  code: z.string().max(64),
  message: z.string().max(1_000),
  ref: z.string().max(64).optional(),
  attemptId: z.string().max(64).optional(),
  retryable: z.boolean(),
  retryAfterMs: z.int().optional(),
});

/** Messages from a runner. A frame is a JSON array of them. */
export const RunnerMessage = z.discriminatedUnion('type', [
  ...RunnerMessages,
  Call,
  Result,
  ErrorMessage,
]);
export type RunnerMessage = z.infer<typeof RunnerMessage>;

/** Messages from a control plane. */
export const ControlPlaneMessage = z.discriminatedUnion('type', [
  ...ControlPlaneMessages,
  z.object({ type: z.literal('drain'), deadlineMs: z.int().min(0) }),
  Call,
  Result,
  ErrorMessage,
]);
export type ControlPlaneMessage = z.infer<typeof ControlPlaneMessage>;

export type RunnerMessageOf<T extends RunnerMessage['type']> = Extract<RunnerMessage, { type: T }>;
export type ControlPlaneMessageOf<T extends ControlPlaneMessage['type']> = Extract<
  ControlPlaneMessage,
  { type: T }
>;
