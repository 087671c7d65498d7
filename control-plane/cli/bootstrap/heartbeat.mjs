import { say } from './say.mjs';

const intervalMs = 5_000;

/**
 * Prints on standard error every five seconds that `what` is in progress: npm without a terminal is
 * silent for half a minute, which looks like a hang.
 *
 * @param {string} what for example `installing Node 24.21.0`
 * @returns {{ done(): void, stop(): void }} `done` prints the elapsed time, `stop` prints nothing
 */
export function startHeartbeat(what) {
  const startedAtMs = Date.now();
  const seconds = () => Math.round((Date.now() - startedAtMs) / 1000);
  say(`${what} …`);
  const timer = setInterval(() => {
    say(`${what} … ${seconds()} s`);
  }, intervalMs);
  timer.unref();
  return {
    done() {
      clearInterval(timer);
      say(`${what}: done in ${seconds()} s`);
    },
    stop: () => clearInterval(timer),
  };
}
