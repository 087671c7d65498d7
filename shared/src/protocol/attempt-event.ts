import { z } from 'zod';
import { AttemptPhase } from '../api/work/attempt.ts';
import { CheckpointTrigger } from '../api/work/checkpoint.ts';
import { DiffStat } from '../api/work/diff-stat.ts';
import { Question } from '../api/work/question.ts';
import { CheckOutcome, MAX_CHANGED_FILES, MAX_CHECK_OUTPUT_CHARS } from '../checks/check-spec.ts';
import { Artifact, MAX_ARTIFACTS } from '../evidence/artifact.ts';
import { MAX_SUMMARY_CHARS } from './limits.ts';

/** More tokens than any thread can use: a larger number is false and would use up every budget. */
const TokenCount = z.int().min(0).max(1_000_000_000_000);

/** Absolute totals of a thread, as a runner may report them. */
export const ReportedTokens = z.object({
  input: TokenCount,
  cachedInput: TokenCount,
  output: TokenCount,
  reasoning: TokenCount,
  total: TokenCount,
});

/** Models of one attempt that are reported by name; the runner sums up further ones. */
const MAX_MODELS = 64;

/** Usage of an attempt by the model that answered, under the name that the provider uses. */
export const ReportedModels = z
  .array(z.object({ model: z.string().max(200), tokens: ReportedTokens }))
  .max(MAX_MODELS);
export type ReportedModels = z.infer<typeof ReportedModels>;

/** Kinds of events that only the control plane writes into an attempt's stream. */
export const CONTROL_PLANE_KINDS: ReadonlySet<string> = new Set(['tool_call', 'tool_refused']);

/**
 * An item of the engine in reduced form, as the runner's engine port yields it; displayed without
 * changes.
 */
const EngineItem = z.looseObject({ type: z.string() });

/**
 * Payloads of an attempt's events, by kind. A kind that the control plane does not know is stored
 * and displayed without changes; a known kind with a malformed payload is refused as
 * `SPEC_INVALID`.
 */
export const AttemptEventPayload = {
  phase: z.object({ phase: AttemptPhase }),
  workspace: z.object({
    key: z.string(),
    path: z.string(),
    branch: z.string(),
    baseBranch: z.string(),
    baseCommit: z.string(),
    created: z.boolean(),
    durationMs: z.number(),
  }),
  container: z.object({
    state: z.enum(['started', 'exited']),
    containerId: z.string(),
    isolation: z.string(),
    exitCode: z.int().nullable().optional(),
    oom: z.boolean().optional(),
    durationMs: z.number().optional(),
  }),
  thread: z.object({ threadId: z.string(), resumed: z.boolean(), engineVersion: z.string() }),
  turn: z.object({
    state: z.enum(['started', 'ended']),
    turnId: z.string(),
    number: z.int(),
    status: z.string().optional(),
    message: z.string().optional(),
  }),
  item: z.object({ state: z.enum(['started', 'ended']), itemId: z.string(), item: EngineItem }),
  usage: z.object({
    /** Totals of the thread, across all attempts that used it. */
    totals: ReportedTokens,
    /** Totals of this attempt alone; left out by runners that only count the thread. */
    own: ReportedTokens.optional(),
    /**
     * `own` by model; left out where nobody counts by model, and by runners that do not report it.
     */
    byModel: ReportedModels.optional(),
    contextWindow: z.number().optional(),
  }),
  request: z.object({ requestId: z.string(), turnId: z.string(), questions: z.array(Question) }),
  request_resolved: z.object({ requestId: z.string() }),
  notice: z.object({ level: z.enum(['info', 'warning', 'error']), message: z.string() }),
  log: z.object({ source: z.enum(['hook', 'git', 'runner', 'engine']), text: z.string() }),
  checkpoint: z.object({
    ordinal: z.int().min(1),
    trigger: CheckpointTrigger,
    threadId: z.string().nullable(),
    turnId: z.string().nullable(),
    /**
     * Commit on the work-in-progress ref of the remote; null when nothing differs from the base.
     */
    commitSha: z.string().nullable(),
    baseCommit: z.string().nullable(),
    /** Keys of blobs that were stored before this event. */
    sessionBlob: z.string().nullable(),
    diffBlob: z.string().nullable(),
    diffStat: DiffStat.nullable(),
    tokens: ReportedTokens,
    /** Problems of the current work as texts, at most the first ten. */
    problems: z.array(z.string().max(1_000)).max(10).optional(),
    /** The agent's last message, where its work is about to be delivered. */
    summary: z.string().max(MAX_SUMMARY_CHARS).optional(),
  }),
  /** Isolation in force for the container, as its daemon reports it. */
  isolation: z.looseObject({ level: z.string(), network: z.string() }),
  /** Outgoing requests since the attempt began, counted by host, port and verdict. */
  egress_allowed: z.object({
    hosts: z.array(
      z.object({
        host: z.string(),
        port: z.int(),
        requests: z.int(),
        sentBytes: z.number(),
        receivedBytes: z.number(),
        /** Names of secrets that the proxy added to these requests. */
        secrets: z.array(z.string()).optional(),
      }),
    ),
  }),
  egress_refused: z.object({
    hosts: z.array(
      z.object({ host: z.string(), port: z.int(), requests: z.int(), reason: z.string() }),
    ),
    message: z.string(),
  }),
  /** A push that was refused, and the reason. */
  write_refused: z.object({
    ref: z.string(),
    problems: z.array(
      z.object({
        rule: z.string(),
        path: z.string().nullable(),
        line: z.int().nullable(),
        message: z.string(),
      }),
    ),
    message: z.string(),
  }),
  /** The attempt reached a limit of the host and ends. */
  limit_exceeded: z.object({ limit: z.string(), message: z.string() }),
  /**
   * A declared check and the commit that it ran on. `run` counts from 1 for each tree and skips
   * checks that were not run.
   */
  check: z.discriminatedUnion('state', [
    z.object({
      state: z.literal('started'),
      name: z.string().max(64),
      commitSha: z.string().max(64),
      run: z.int().min(1),
    }),
    z.object({
      state: z.literal('ended'),
      name: z.string().max(64),
      commitSha: z.string().max(64),
      run: z.int().min(1),
      result: CheckOutcome,
      /** Null: the command did not exit by itself. */
      exitCode: z.int().nullable(),
      durationMs: z.number().min(0),
      /** The end of stdout and stderr. */
      output: z.string().max(MAX_CHECK_OUTPUT_CHARS),
      /** Files that the check changed and that were restored, at most the first of them. */
      changedFiles: z.array(z.string().max(300)).max(MAX_CHANGED_FILES).optional(),
      /** Why the check was not run, or what stopped it. */
      message: z.string().max(500).optional(),
    }),
  ]),
  /** All files in the artifacts folder; replaces the files of earlier events. */
  artifacts: z.object({
    files: z.array(Artifact).max(MAX_ARTIFACTS),
    /** Number of files beyond the limits of count or size, which were not stored. */
    leftOut: z.int().min(0),
  }),
  snapshot: z.object({ commitSha: z.string().nullable(), branch: z.string(), diffStat: DiffStat }),
} as const;
export type AttemptEventKind = keyof typeof AttemptEventPayload;

/** One item of an `events` frame. `seq` counts from 1 within (attempt, epoch). */
export const AttemptEventItem = z.object({
  seq: z.int().min(1),
  /** Wall clock of the runner, epoch milliseconds; only displayed, never used for decisions. */
  atMs: z.number(),
  kind: z.string().max(64),
  // Not z.record, which copies every payload and drops keys that it considers unsafe for
  // prototypes.
  payload: z.custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  ),
});
export type AttemptEventItem = z.infer<typeof AttemptEventItem>;
