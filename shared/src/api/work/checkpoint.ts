import { z } from 'zod';
import { TokenUsage } from './attempt.ts';
import { namedObject } from '../../named-object.ts';

export const CheckpointTrigger = z.enum([
  'thread_started',
  'turn_completed',
  'delivering',
  'drain',
  'terminal',
]);
export type CheckpointTrigger = z.infer<typeof CheckpointTrigger>;

/** A saved state from which an issue's work can resume if its runner is lost. */
export const Checkpoint = namedObject('Checkpoint', {
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
});
export type Checkpoint = z.infer<typeof Checkpoint>;

export const CheckpointList = namedObject('CheckpointList', { checkpoints: z.array(Checkpoint) });
