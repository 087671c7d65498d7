/** Which run of a check it was, in words; empty for the first. */
export function runWords(run: number): string {
  if (run < 2) return '';
  return run === 2 ? 'second run' : `run ${run}`;
}

/** The same behind what came out of it: `passed at the second run`. */
export function atRunWords(run: number): string {
  if (run < 2) return '';
  return run === 2 ? ' at the second run' : ` at run ${run}`;
}
