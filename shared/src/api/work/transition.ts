import { z } from 'zod';
import { namedObject } from '../../named-object.ts';

const StateName = z.string().trim().min(1).max(200);

export const TransitionRequest = z
  .strictObject({
    to: StateName.optional(),
    /** Alias of `to`. */
    target_state: StateName.optional(),
    reason: z.string().trim().max(2_000).optional(),
    /** `false`: a transition that would stop a run is refused with 409 and code `stops_run`. */
    stopRunning: z.boolean().default(true),
  })
  .refine(({ to, target_state: target }) => (to ?? target) !== undefined, {
    path: ['to'],
    message: 'to must name a state',
  })
  .refine(({ to, target_state: target }) => !to || !target || to === target, {
    path: ['target_state'],
    message: 'to and target_state must not differ',
  })
  .meta({ id: 'TransitionRequest', anyOf: [{ required: ['to'] }, { required: ['target_state'] }] });
export type TransitionRequest = z.infer<typeof TransitionRequest>;

export const TransitionResponse = namedObject('TransitionResponse', {
  ok: z.boolean(),
  from: z.string(),
  to: z.string(),
});
export type TransitionResponse = z.infer<typeof TransitionResponse>;

const TransitionLogEntry = namedObject('TransitionLogEntry', {
  identifier: z.string(),
  from: z.string(),
  to: z.string(),
  reason: z.string().nullable(),
  /**
   * Who moved the issue; `service` for the service's own moves, `tracker` for one that the service
   * observed there.
   */
  actor: z.string(),
  at: z.iso.datetime(),
});

export const TransitionList = namedObject('TransitionList', {
  /** States that each issue may move to, by the identifier. */
  transitions: z.record(z.string(), z.array(z.string())),
  /** Log entries, newest first. */
  log: z.array(TransitionLogEntry),
  /** Number of log entries that match the filter. */
  total: z.int(),
  /** Cursor for older entries; null at the end. */
  nextCursor: z.string().nullable(),
  /** Trackers whose states could not be fetched, with the reason. */
  unavailable: z.array(z.object({ tracker: z.string(), reason: z.string() })),
});
export type TransitionList = z.infer<typeof TransitionList>;
