/** Whether a declared check fails by its event: a further run begins only because the one before it failed. */
export function isFailing({ state, run, result }: Record<string, unknown>): boolean {
  if (state === 'started') return Number(run) > 1;
  return result === 'failed' || result === 'timed_out';
}
