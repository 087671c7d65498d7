import { z } from 'zod';
import { STATE_ROLES } from '../../ports/tracker/state-of-role.ts';

/** Kind of the jobs that remove a workspace from its runner. */
export const WORKSPACE_REMOVAL = 'workspace.remove';
/** Kind of the deliveries of notifications. Each channel is a queue of its own. */
export const NOTIFICATION_DELIVERY = 'notification.deliver';

/** The person behind an effect, for its audit row. */
const EffectCaller = z.object({
  actor: z.string(),
  source: z.enum(['API', 'wizard', 'CLI', 'runner', 'service']),
  requestId: z.string().nullable(),
  path: z.string(),
});

/** Everything this service does to the outside world, as data. */
export const Effect = z.discriminatedUnion('kind', [
  /** Moves the tracker issue to the state of a role, if one is configured. */
  z.object({
    kind: z.literal('tracker.transition'),
    role: z.enum(STATE_ROLES),
  }),
  /** Moves the tracker issue for a person, who has said to which state. */
  z.object({
    kind: z.literal('tracker.move'),
    from: z.string(),
    to: z.string(),
    reason: z.string().nullable(),
    caller: EffectCaller,
  }),
  /** Brings the one comment on the issue up to date with the rows as they are when it runs. */
  z.object({ kind: z.literal('tracker.comment') }),
  z.object({ kind: z.literal('tracker.attach'), url: z.string(), title: z.string() }),
  /** Says what waits to be said in an agent session, and shows where to follow it. */
  z.object({ kind: z.literal('tracker.agent_session'), sessionId: z.string() }),
  /** Opens the attempt's pull request; its end is the attempt's end. */
  z.object({
    kind: z.literal('codehost.open_pull_request'),
    /** The commit is kept by a runner, which is asked to push it first. */
    push: z.boolean().optional(),
  }),
  /** Makes a draft pull request of an issue's unfinished work for a person. */
  z.object({ kind: z.literal('codehost.publish'), caller: EffectCaller }),
  /** Repeats a delivery that was refused or given up, for a person. */
  z.object({ kind: z.literal('codehost.deliver_again'), caller: EffectCaller }),
]);
export type Effect = z.infer<typeof Effect>;
