/** A longer run of backticks in a text is cut: a fence is written twice and grows with it. */
const MAX_RUN_CHARS = 32;
const LONG_RUN = new RegExp(`\`{${MAX_RUN_CHARS + 1},}`, 'g');

/** Text in a code block that it cannot leave, nor make much longer than itself. */
export function codeFence(text: string): string {
  const held = withoutLongRuns(text);
  const fence = '`'.repeat(Math.max(3, longestRun(held) + 1));
  return `${fence}text\n${held}\n${fence}`;
}

/** One line as a code span; blanks keep backticks at its ends apart from its own. */
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
