/**
 * A longer run of backticks in a text is truncated, since the fence must be longer and is written
 * twice.
 */
const MAX_RUN_CHARS = 32;
const LONG_RUN = new RegExp(`\`{${MAX_RUN_CHARS + 1},}`, 'g');

/** A code block with the text, which it cannot leave and which adds little to its length. */
export function codeFence(text: string): string {
  const held = withoutLongRuns(text);
  const fence = '`'.repeat(Math.max(3, longestRun(held) + 1));
  return `${fence}text\n${held}\n${fence}`;
}

/** One line as a code span; blanks separate backticks at its ends from those of the span. */
export function codeSpan(line: string): string {
  const held = withoutLongRuns(line);
  const ticks = '`'.repeat(longestRun(held) + 1);
  return `${ticks} ${held} ${ticks}`;
}

function withoutLongRuns(text: string): string {
  return text.replaceAll(LONG_RUN, `${'`'.repeat(MAX_RUN_CHARS)}…`);
}

function longestRun(text: string): number {
  const runs = text.match(/`+/g) ?? [];
  return runs.reduce((longest, run) => Math.max(longest, run.length), 0);
}
