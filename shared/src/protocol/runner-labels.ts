/** A label such as `runner:gpu` on an issue requires a runner with the label `gpu`. */
const PREFIX = 'runner:';

/** Labels that an issue with these labels requires of its runner. */
export function wantedRunnerLabels(issueLabels: readonly string[]): string[] {
  return issueLabels
    .map((label) => label.trim())
    .filter((label) => label.toLowerCase().startsWith(PREFIX))
    .map((label) => label.slice(PREFIX.length).trim());
}

/** Whether a runner with these labels may get any part of an issue with those labels. */
export function mayHaveIssue(
  runnerLabels: readonly string[],
  issueLabels: readonly string[],
): boolean {
  const has = new Set(runnerLabels.map((label) => label.trim().toLowerCase()));
  return wantedRunnerLabels(issueLabels).every((label) => has.has(label.toLowerCase()));
}
