import { z } from 'zod';
import { namedObject } from '../../named-object.ts';
import { ReasonCode } from '../work/reason-code.ts';

/**
 * Where a pull request is in the merge queue. `waiting`: for its turn. `testing`: a runner merges it
 * and runs the checks on that commit. `returned`: the test failed, and the agent hears of it next.
 * `held`: it is not merged before somebody acts, or before it changes.
 */
export const MergeState = z
  .enum(['waiting', 'testing', 'returned', 'held'])
  .meta({ id: 'MergeState' });
export type MergeState = z.infer<typeof MergeState>;

/** A pull request in the merge queue of its base branch. */
export const MergeQueueEntry = namedObject('MergeQueueEntry', {
  pullRequestId: z.string(),
  number: z.int(),
  title: z.string(),
  url: z.string(),
  issueIdentifier: z.string(),
  repositoryUrl: z.string(),
  base: z.string(),
  state: MergeState,
  /** Its place among those that wait for the same base, from 1; null: it does not wait. */
  position: z.int().nullable(),
  /** Why it is where it is, for people. */
  reason: z.string(),
  reasonCode: ReasonCode,
  /** The attempt that tests its merge, or did so last; null: none has. */
  attemptId: z.string().nullable(),
  /** Who asked for the merge; `service`: the policy of the repository. */
  enteredBy: z.string(),
  enteredAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type MergeQueueEntry = z.infer<typeof MergeQueueEntry>;

/** The merge queue of every base branch, in the order in which pull requests are merged. */
export const MergeQueue = namedObject('MergeQueue', { entries: z.array(MergeQueueEntry) });
export type MergeQueue = z.infer<typeof MergeQueue>;
