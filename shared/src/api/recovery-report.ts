import { z } from 'zod';
import { AttemptPhase, AttemptStatus } from './work/attempt.ts';
import { namedObject } from '../named-object.ts';

/**
 * `GET /api/v1/recovery`: the attempts that the service found at its start, and their current state
 * in the database.
 */
export const RecoveryReport = namedObject('RecoveryReport', {
  startedAt: z.iso.datetime().nullable(),
  instanceId: z.string().nullable(),
  /** True: no attempt in the report still waits to be resolved. */
  settled: z.boolean(),
  attempts: z.array(
    z.object({
      attemptId: z.string(),
      identifier: z.string(),
      number: z.int(),
      found: z.object({
        status: AttemptStatus,
        phase: AttemptPhase.nullable(),
        runnerId: z.string().nullable(),
        epoch: z.int(),
      }),
      result: z.enum(['waiting', 'kept', 'requeued', 'ended', 'delivering']),
      detail: z.string(),
    }),
  ),
});
export type RecoveryReport = z.infer<typeof RecoveryReport>;
