import * as z from 'zod';

/**
 * Longest input that is kept of a call: enough to see what it does, while the journal stays small.
 */
export const MAX_INPUT_BYTES = 16 * 1024;
/** Files of one call that are shown; the others are counted. */
export const MAX_CHANGES = 50;

const FileDiff = z.object({ path: z.string(), kind: z.string(), diff: z.string().optional() });
export type FileDiff = z.infer<typeof FileDiff>;

/** An open tool call of the agent as reported so far; kept in the session's journal. */
export const OpenTool = z.object({
  id: z.string(),
  /** The tool's name, or the agent's first title for the call. */
  name: z.string(),
  title: z.string(),
  kind: z.string(),
  startedAtMs: z.number(),
  /** Whether its start was shown to people. */
  shown: z.boolean(),
  input: z.unknown().optional(),
  changes: z.array(FileDiff),
  output: z.string().optional(),
});
export type OpenTool = z.infer<typeof OpenTool>;
