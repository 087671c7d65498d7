import { z } from 'zod';
import { TokenUsage } from './attempt.ts';

export const CheckpointTrigger = z.enum([
  'thread_started',
  'turn_completed',
  'delivering',
  'drain',
  'terminal',
]);
export type CheckpointTrigger = z.infer<typeof CheckpointTrigger>;

/** A point from which an issue's work can go on, whatever happens to its runner. */
export const Checkpoint = z
  .object({
    checkpointId: z.string(),
    attemptId: z.string(),
    ordinal: z.int(),
    trigger: CheckpointTrigger,
    eventSeq: z.int(),
    threadId: z.string().nullable(),
    turnId: z.string().nullable(),
    commitSha: z.string().nullable(),
    tokens: TokenUsage,
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Checkpoint' });
export type Checkpoint = z.infer<typeof Checkpoint>;

export const CheckpointList = z
  .object({ checkpoints: z.array(Checkpoint) })
  .meta({ id: 'CheckpointList' });
