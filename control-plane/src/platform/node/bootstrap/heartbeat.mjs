const intervalMs = 5_000;

/**
 * Says on standard error that `what` is going on, every five seconds: npm without a terminal is
 * silent for half a minute, which looks like a hang.
 *
 * @param {string} what for example `installing Node 24.21.0`
 * @returns {{ done(): void, stop(): void }} `done` reports the time it took, `stop` says nothing
 */
export function startHeartbeat(what) {
  const startedAtMs = Date.now();
  const seconds = () => Math.round((Date.now() - startedAtMs) / 1000);
  process.stderr.write(`switchyard: ${what} …\n`);
  const timer = setInterval(() => {
    process.stderr.write(`switchyard: ${what} … ${seconds()} s\n`);
  }, intervalMs);
  timer.unref();
  return {
    done() {
      clearInterval(timer);
      process.stderr.write(`switchyard: ${what}: done in ${seconds()} s\n`);
    },
    stop: () => clearInterval(timer),
  };
}
