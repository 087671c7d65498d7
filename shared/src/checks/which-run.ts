/** Ordinal of a check's run on the same work: `second run`, `run 3`; empty for the first. */
export function whichRun(run: number): string {
  if (run < 2) return '';
  return run === 2 ? 'second run' : `run ${run}`;
}

/**
 * Ordinal of a check's run as a suffix of `passed`: ` at the second run`, ` at run 3`; empty for
 * the first.
 */
export function atWhichRun(run: number): string {
  const which = whichRun(run);
  return which && ` at ${run === 2 ? 'the ' : ''}${which}`;
}
