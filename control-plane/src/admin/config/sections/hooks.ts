import { z } from 'zod';

const Script = z.string().max(64_000);

/** `hooks.*`: shell scripts around a workspace. */
export const HooksSection = z.strictObject({
  afterCreate: Script.optional().describe('Runs in a new workspace; its failure ends creation.'),
  beforeRun: Script.optional().describe('Runs before an attempt; its failure ends the attempt.'),
  afterRun: Script.optional().describe('Runs after an attempt; its failure is logged.'),
  beforeRemove: Script.optional().describe('Runs before a workspace goes; its failure is logged.'),
  timeoutMs: z.int().min(100).max(3_600_000).default(60_000).describe('Time each hook may take.'),
});
