import { z } from 'zod';
import { STATE_ROLES } from '../../ports/tracker/state-of-role.ts';

/** Kind of the jobs that remove a workspace from its runner. */
export const WORKSPACE_REMOVAL = 'workspace.remove';
/** Kind of the jobs that deliver notifications; each channel has its own queue. */
export const NOTIFICATION_DELIVERY = 'notification.deliver';

/** The person who requested an effect, for its audit row. */
const EffectCaller = z.object({
  actor: z.string(),
  source: z.enum(['API', 'wizard', 'CLI', 'runner', 'service']),
  requestId: z.string().nullable(),
  path: z.string(),
});

/** The effects of this service on trackers and code hosts, as data. */
export const Effect = z.discriminatedUnion('kind', [
  /** Moves the tracker issue to the state of a role, if that state is configured. */
  z.object({
    kind: z.literal('tracker.transition'),
    role: z.enum(STATE_ROLES),
    /** For the log of moves; left out: the usual one of the role. */
    reason: z.string().optional(),
  }),
  /** Moves the tracker issue to the state that a person chose. */
  z.object({
    kind: z.literal('tracker.move'),
    from: z.string(),
    to: z.string(),
    reason: z.string().nullable(),
    caller: EffectCaller,
  }),
  /** Updates the status comment from the rows as they are when it runs. */
  z.object({ kind: z.literal('tracker.comment') }),
  /** Writes a plan that an agent has handed in as a comment of its own. */
  z.object({ kind: z.literal('tracker.plan'), requestId: z.string() }),
  z.object({ kind: z.literal('tracker.attach'), url: z.string(), title: z.string() }),
  /**
   * Sends the waiting activities of an agent session, and links the page where the work can be
   * followed.
   */
  z.object({ kind: z.literal('tracker.agent_session'), sessionId: z.string() }),
  /** Opens the attempt's pull request and thereby completes the attempt. */
  z.object({
    kind: z.literal('codehost.open_pull_request'),
    /** True when only a runner has the commit and must push it first. */
    push: z.boolean().optional(),
  }),
  /** Opens a draft pull request of unfinished work at a person's request. */
  z.object({ kind: z.literal('codehost.publish'), caller: EffectCaller }),
  /** Retries a delivery that was refused or given up, at a person's request. */
  z.object({ kind: z.literal('codehost.deliver_again'), caller: EffectCaller }),
]);
export type Effect = z.infer<typeof Effect>;
