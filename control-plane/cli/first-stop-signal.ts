/** Resolves with the first SIGINT, SIGTERM or SIGHUP; repeats are ignored. */
export function firstStopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => resolve(signal));
    }
  });
}
