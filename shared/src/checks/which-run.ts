/** Which run of a check on the same work it was: `second run`, `run 3`; empty for the first. */
export function whichRun(run: number): string {
  if (run < 2) return '';
  return run === 2 ? 'second run' : `run ${run}`;
}

/** The same behind `passed`: ` at the second run`, ` at run 3`; empty for the first. */
export function atWhichRun(run: number): string {
  const which = whichRun(run);
  return which && ` at ${run === 2 ? 'the ' : ''}${which}`;
}
