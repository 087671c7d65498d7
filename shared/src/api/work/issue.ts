import { z } from 'zod';
import { ReasonCode } from './reason-code.ts';
import { Attempt, AttemptPhase, StreamEvent, TokenUsage } from './attempt.ts';
import { cutText } from '../../text/cut-text.ts';
import { namedObject, strictNamedObject } from '../../named-object.ts';

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

export const Blocker = namedObject('Blocker', {
  id: z.string(),
  identifier: z.string(),
  state: z.string().nullable(),
});
export type Blocker = z.infer<typeof Blocker>;

/** An issue of the tracker together with what the orchestrator knows about it. */
export const Issue = namedObject('Issue', {
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
  /** Why, for programs; null with `reason`, and for reasons from before it was stored. */
  reasonCode: ReasonCode.nullable(),
  attemptCount: z.int(),
  /** A scripted model works, or worked, at its newest attempt: `engine.trial`. */
  onTrial: z.boolean(),
  nextRetryAt: z.iso.datetime().nullable(),
  /** Engine, or choice of engine, that a person chose; null: by the rules. */
  engine: z.string().nullable(),
  model: z.string().nullable(),
  templateId: z.string().nullable(),
  pullRequestUrl: z.string().nullable(),
  tokens: TokenUsage,
  costUsd: z.number().nullable(),
  /** Tokens of models without a price: what the cost lacks. */
  unpricedTokens: z.int(),
  /** Deleted, archived or elsewhere, or its tracker is not asked for it: it needs nobody until it is back. */
  outOfSight: z.boolean(),
  /** Why its tracker is not asked for it, in words; null or left out: it is asked. */
  outOfSightReason: z.string().nullish(),
});
export type Issue = z.infer<typeof Issue>;

/** What a list says of a description, in UTF-16 units: it shows one line of each issue. */
export const MAX_EXCERPT_CHARS = 300;

/** An issue as lists of many have it. */
export const ListedIssueFacts = Issue.extend({
  description: z
    .string()
    .nullable()
    .describe(
      `The beginning of the description, at most ${MAX_EXCERPT_CHARS} characters; a longer one ends with "…" here and is whole in the answer about the issue itself.`,
    ),
}).meta({ id: 'ListedIssueFacts' });

/** An issue as a list of many has it, with the beginning of its description. */
export function briefIssue(issue: Issue): Issue {
  const { description } = issue;
  if (description === null) return issue;
  return { ...issue, description: cutText(description, MAX_EXCERPT_CHARS, '…') };
}

/** A change in the tracker that failed at its last try. */
export const TrackerFailure = namedObject('TrackerFailure', {
  /** What was to change: the issue's state, our comment, the link to a pull request, a session. */
  change: z.enum(['state', 'comment', 'link', 'session']),
  /** The state it was to be moved to; null for other changes. */
  state: z.string().nullable(),
  /** What went wrong at the last try, in words. */
  error: z.string(),
  tries: z.int(),
  /** When it is tried again; null: it was given up. */
  nextTryAt: z.iso.datetime().nullable(),
});
export type TrackerFailure = z.infer<typeof TrackerFailure>;

export const IssueDetail = Issue.extend({
  recentEvents: z.array(StreamEvent),
  /** Newest first. */
  attempts: z.array(Attempt),
  currentAttemptId: z.string().nullable(),
  /** When the live attempt began to run; null while none runs. */
  startedAt: z.iso.datetime().nullable(),
  /** Phase of the live attempt; null while none is live. */
  phase: AttemptPhase.nullable(),
  /** What the tracker does not show as it should, newest first; one of each change. */
  trackerFailures: z.array(TrackerFailure),
}).meta({ id: 'IssueDetail' });
export type IssueDetail = z.infer<typeof IssueDetail>;

export const AbortResponse = namedObject('AbortResponse', {
  ok: z.boolean(),
  status: z.literal('stopping'),
  alreadyStopping: z.boolean(),
  requestedAt: z.iso.datetime(),
});
export const RetryResponse = namedObject('RetryResponse', {
  ok: z.boolean(),
  status: IssueStatus,
  requestedAt: z.iso.datetime(),
});

const VisibleWord = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{C}*$/u, 'must not contain control characters');

export const ModelOverride = strictNamedObject('ModelOverride', {
  /** Left out or null, with an engine: the model of that engine. */
  model: VisibleWord.nullable().optional(),
  /** As the provider spells it; left out or null: what the configuration says. */
  reasoning_effort: VisibleWord.nullable().optional(),
  /** A choice of `engine.choices`, or an engine of one; left out or null: by the rules. */
  engine: VisibleWord.nullable().optional(),
})
  .refine(({ model, engine }) => (model ?? engine ?? null) !== null, {
    message: 'give a model, an engine or both',
    path: ['model'],
  })
  .meta({ id: 'ModelOverride', anyOf: [{ required: ['model'] }, { required: ['engine'] }] });
export type ModelOverride = z.infer<typeof ModelOverride>;

export const TemplateOverride = strictNamedObject('TemplateOverride', {
  template_id: z.string().min(1).max(64),
});
export type TemplateOverride = z.infer<typeof TemplateOverride>;

/** An issue's own settings as they hold for its next attempt; null: what the configuration says. */
export const OverrideResponse = namedObject('OverrideResponse', {
  ok: z.boolean(),
  engine: z.string().nullable(),
  model: z.string().nullable(),
  reasoningEffort: z.string().nullable(),
  templateId: z.string().nullable(),
  /** An attempt that runs keeps what it began with. */
  appliesNextAttempt: z.boolean(),
});
export type OverrideResponse = z.infer<typeof OverrideResponse>;

export const SteerRequest = strictNamedObject('SteerRequest', {
  message: z.string().trim().min(1).max(20_000),
});
export type SteerRequest = z.infer<typeof SteerRequest>;

export const SteerResponse = namedObject('SteerResponse', {
  ok: z.boolean(),
  /** True: the agent's turn has taken it. False: it is stored and handed over again and again. */
  delivered: z.boolean(),
});
export type SteerResponse = z.infer<typeof SteerResponse>;
