import { z } from 'zod';
import { whole } from '../bounds/whole.ts';
import { text } from '../bounds/text.ts';

const Script = text(64_000);

/** `hooks.*`: shell scripts around a workspace. */
export const HooksSection = z.strictObject({
  afterCreate: Script.optional().describe('Runs in a new workspace; its failure ends creation.'),
  beforeRun: Script.optional().describe('Runs before an attempt; its failure ends the attempt.'),
  afterRun: Script.optional().describe('Runs after an attempt; its failure is logged.'),
  beforeRemove: Script.optional().describe('Runs before a workspace goes; its failure is logged.'),
  timeoutMs: whole(100, 3_600_000).default(60_000).describe('Time each hook may take.'),
});
