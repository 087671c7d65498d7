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

/** The issue that another one is a part of. */
export const ParentIssue = namedObject('ParentIssue', { id: z.string(), identifier: z.string() });
export type ParentIssue = z.infer<typeof ParentIssue>;

/** A part of an issue, as the issue names it. */
export const SubIssue = namedObject('SubIssue', {
  id: z.string(),
  identifier: z.string(),
  state: z.string().nullable(),
  /** Whether that state is one in which no work is left, such as Done or Canceled. */
  terminal: z.boolean(),
});
export type SubIssue = z.infer<typeof SubIssue>;

/** An issue of the tracker together with the orchestrator's record of it. */
export const Issue = namedObject('Issue', {
  id: z.string(),
  identifier: z.string(),
  tracker: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  /** 1 urgent … 4 low; null or 0: no priority. */
  priority: z.int().nullable(),
  state: z.string(),
  branchName: z.string().nullable(),
  url: z.string().nullable(),
  labels: z.array(z.string()),
  assigneeId: z.string().nullable(),
  blockedBy: z.array(Blocker),
  /** The issue that this one is a part of; null: none. */
  parent: ParentIssue.nullable(),
  /** Its parts, in the order of the tracker. It waits for them, and ends when they have. */
  subIssues: z.array(SubIssue),
  dispatchable: z.boolean(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  nativeRef: z.string().nullable(),
  status: IssueStatus,
  /** Why the issue waits or ended, as a text for people. */
  reason: z.string().nullable(),
  /**
   * Why the issue waits or ended, for programs; null with a null `reason`, and for reasons stored
   * without a code.
   */
  reasonCode: ReasonCode.nullable(),
  attemptCount: z.int(),
  /** Whether a scripted model (`engine.trial`) works, or worked, on the issue's newest attempt. */
  onTrial: z.boolean(),
  nextRetryAt: z.iso.datetime().nullable(),
  /** Engine, or choice of engine, that a person selected; null: the rules select it. */
  engine: z.string().nullable(),
  model: z.string().nullable(),
  templateId: z.string().nullable(),
  pullRequestUrl: z.string().nullable(),
  tokens: TokenUsage,
  costUsd: z.number().nullable(),
  /** Tokens of models without a price, which the cost does not include. */
  unpricedTokens: z.int(),
  /**
   * True: the issue was deleted, archived or moved, or the service does not query its tracker. It
   * needs nobody until it is visible again.
   */
  outOfSight: z.boolean(),
  /** Why the service does not query the issue's tracker, as a text; null or left out: it does. */
  outOfSightReason: z.string().nullish(),
});
export type Issue = z.infer<typeof Issue>;

/**
 * Length of the description's excerpt in a list, in UTF-16 units: a list shows one line for each
 * issue.
 */
export const MAX_EXCERPT_CHARS = 300;

/** An issue as it appears in long lists. */
export const ListedIssueFacts = Issue.extend({
  description: z
    .string()
    .nullable()
    .describe(
      `The beginning of the description, at most ${MAX_EXCERPT_CHARS} characters; a longer one ends with "…" here and is whole in the answer about the issue itself.`,
    ),
}).meta({ id: 'ListedIssueFacts' });

/** The issue as it appears in a long list, with only the beginning of its description. */
export function briefIssue(issue: Issue): Issue {
  const { description } = issue;
  if (description === null) return issue;
  return { ...issue, description: cutText(description, MAX_EXCERPT_CHARS, '…') };
}

/** A change in the tracker whose latest try failed. */
export const TrackerFailure = namedObject('TrackerFailure', {
  /**
   * What was to change in the tracker: the issue's state, our comment, the link to a pull request,
   * a session.
   */
  change: z.enum(['state', 'comment', 'link', 'session']),
  /** The state that the issue was to be moved to; null for other changes. */
  state: z.string().nullable(),
  /** Why the latest try failed, as a text for people. */
  error: z.string(),
  tries: z.int(),
  /** When the change is tried again; null: the service gave up. */
  nextTryAt: z.iso.datetime().nullable(),
});
export type TrackerFailure = z.infer<typeof TrackerFailure>;

export const IssueDetail = Issue.extend({
  recentEvents: z.array(StreamEvent),
  /** Attempts of the issue, newest first. */
  attempts: z.array(Attempt),
  currentAttemptId: z.string().nullable(),
  /** When the live attempt started running; null while none runs. */
  startedAt: z.iso.datetime().nullable(),
  /** Phase of the live attempt; null while no attempt is live. */
  phase: AttemptPhase.nullable(),
  /** Failed changes in the tracker, newest first; one for each kind of change. */
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
  /** Left out or null while an engine is given: that engine's model. */
  model: VisibleWord.nullable().optional(),
  /** Reasoning effort as the provider spells it; left out or null: the configuration's. */
  reasoning_effort: VisibleWord.nullable().optional(),
  /**
   * Name of an `engine.choices` entry, or of an engine that one uses; left out or null: the rules
   * select it.
   */
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

/** An issue's own settings for its next attempt; null: the configuration applies. */
export const OverrideResponse = namedObject('OverrideResponse', {
  ok: z.boolean(),
  engine: z.string().nullable(),
  model: z.string().nullable(),
  reasoningEffort: z.string().nullable(),
  templateId: z.string().nullable(),
  /**
   * Always applies from the next attempt on: a running attempt keeps the settings it started with.
   */
  appliesNextAttempt: z.boolean(),
});
export type OverrideResponse = z.infer<typeof OverrideResponse>;

export const SteerRequest = strictNamedObject('SteerRequest', {
  message: z.string().trim().min(1).max(20_000),
});
export type SteerRequest = z.infer<typeof SteerRequest>;

export const SteerResponse = namedObject('SteerResponse', {
  ok: z.boolean(),
  /**
   * True: the agent's turn has received the message. False: it is stored, and delivery is retried.
   */
  delivered: z.boolean(),
});
export type SteerResponse = z.infer<typeof SteerResponse>;
