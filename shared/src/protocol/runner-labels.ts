/** Labels such as `runner:gpu` on an issue name a label that its runner must have. */
const PREFIX = 'runner:';

/** Labels that a runner must have for an issue with these labels. */
export function wantedRunnerLabels(issueLabels: readonly string[]): string[] {
  return issueLabels
    .map((label) => label.trim())
    .filter((label) => label.toLowerCase().startsWith(PREFIX))
    .map((label) => label.slice(PREFIX.length).trim());
}

/** Whether a runner with these labels may have anything of an issue with those. */
export function mayHaveIssue(
  runnerLabels: readonly string[],
  issueLabels: readonly string[],
): boolean {
  const has = new Set(runnerLabels.map((label) => label.trim().toLowerCase()));
  return wantedRunnerLabels(issueLabels).every((label) => has.has(label.toLowerCase()));
}
