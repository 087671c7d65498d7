import * as z from 'zod';

/** Longest input that is kept of a call: a person sees what it does, and the journal stays small. */
export const MAX_INPUT_BYTES = 16 * 1024;
/** Files of one call that are shown; the rest is counted. */
export const MAX_CHANGES = 50;

const FileDiff = z.object({ path: z.string(), kind: z.string(), diff: z.string().optional() });
export type FileDiff = z.infer<typeof FileDiff>;

/** A tool call of the agent that goes on, as told so far; kept in the session's journal. */
export const OpenTool = z.object({
  id: z.string(),
  /** The tool's own name, or the first title that the agent gave. */
  name: z.string(),
  title: z.string(),
  kind: z.string(),
  startedAtMs: z.number(),
  /** A person was shown that it began. */
  shown: z.boolean(),
  input: z.unknown().optional(),
  changes: z.array(FileDiff),
  output: z.string().optional(),
});
export type OpenTool = z.infer<typeof OpenTool>;
