import { Isolation } from '../sandbox/isolation.ts';
import { z } from 'zod';
import { AwaitedState, FetchProblem } from '../engine/runner-engine.ts';
import { IsolationLevel } from '../sandbox/isolation-level.ts';
import { namedObject, strictNamedObject } from '../named-object.ts';

export const Runner = namedObject('Runner', {
  runnerId: z.string(),
  name: z.string(),
  status: z.enum(['connected', 'offline', 'draining', 'revoked']),
  labels: z.array(z.string()),
  slots: z.object({ total: z.int(), free: z.int() }),
  isolation: Isolation.nullable(),
  /**
   * The isolation in force for an attempt on this runner by default; null: the runner does not
   * report it.
   */
  isolationLevel: IsolationLevel.nullable(),
  /** The isolation in force with each container runtime of the runner's daemon. */
  runtimes: z.record(z.string(), IsolationLevel),
  version: z.string(),
  /** Version of the default agent engine. */
  engineVersion: z.string().nullable(),
  /**
   * Agent engines that attempts can use on this runner; `GET /api/v1/engines` has the capabilities
   * of each.
   */
  engines: z.array(
    z.object({
      name: z.string(),
      version: z.string().nullable(),
      experimental: z.boolean(),
      state: AwaitedState,
      problem: FetchProblem,
    }),
  ),
  /** Warnings for people, for example that nothing isolates the agent. */
  warnings: z.array(z.string()),
  attempts: z.array(z.string()),
  /** CPU and memory percent by attempt id, from the runner's latest renewal. */
  load: z.record(z.string(), z.object({ cpuPercent: z.number(), memoryPercent: z.number() })),
  /**
   * End of the runner's lease on its attempts if it never renews again; null while it holds none.
   */
  leaseUntil: z.iso.datetime().nullable(),
  /**
   * Last message of the runner, up to a minute old; a connected runner sends one at least every 25
   * s.
   */
  lastSeenAt: z.iso.datetime().nullable(),
  joinedAt: z.iso.datetime(),
});
export type Runner = z.infer<typeof Runner>;

export const RunnerList = namedObject('RunnerList', { runners: z.array(Runner), total: z.int() });

export const CreateJoinToken = strictNamedObject('CreateJoinToken', {
  labels: z.array(z.string().max(128)).max(64).optional(),
  /** Lifetime of the token, milliseconds; at most an hour. */
  expiresInMs: z.int().min(1_000).max(3_600_000).optional(),
});
export const JoinToken = namedObject('JoinToken', {
  token: z.string(),
  expiresAt: z.iso.datetime(),
});
