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
  /** What is really in force for an attempt there by default; null: the runner does not tell. */
  isolationLevel: IsolationLevel.nullable(),
  /** The same with each container runtime that its daemon has. */
  runtimes: z.record(z.string(), IsolationLevel),
  version: z.string(),
  /** Version of the default agent engine. */
  engineVersion: z.string().nullable(),
  /** Agent engines that attempts can use there; `GET /api/v1/engines` says what each can do. */
  engines: z.array(
    z.object({
      name: z.string(),
      version: z.string().nullable(),
      experimental: z.boolean(),
      state: AwaitedState,
      problem: FetchProblem,
    }),
  ),
  /** What a person should know, for example that nothing isolates the agent. */
  warnings: z.array(z.string()),
  attempts: z.array(z.string()),
  /** Processor and memory percent by attempt, as the last renewal told. */
  load: z.record(z.string(), z.object({ cpuPercent: z.number(), memoryPercent: z.number() })),
  /** Until when it holds its attempts without a further word; null while it holds none. */
  leaseUntil: z.iso.datetime().nullable(),
  /** When it was last heard, as known at most a minute ago; a connected one says something every 25 s. */
  lastSeenAt: z.iso.datetime().nullable(),
  joinedAt: z.iso.datetime(),
});
export type Runner = z.infer<typeof Runner>;

export const RunnerList = namedObject('RunnerList', { runners: z.array(Runner), total: z.int() });

export const CreateJoinToken = strictNamedObject('CreateJoinToken', {
  labels: z.array(z.string().max(128)).max(64).optional(),
  /** At most an hour. */
  expiresInMs: z.int().min(1_000).max(3_600_000).optional(),
});
export const JoinToken = namedObject('JoinToken', {
  token: z.string(),
  expiresAt: z.iso.datetime(),
});
