/** Whether the log is one JSON object per line. */
export function saysJson() {
  return process.env['SERVICE_LOG_FORMAT']?.trim().toLowerCase() === 'json';
}

let isQuiet = false;

/**
 * Silences all later messages: the target prints JSON, and its output must contain nothing else.
 */
export function beQuiet() {
  isQuiet = true;
}

/** Whether tools must not print their progress. */
export const saysNothing = () => isQuiet;

/**
 * Prints one line on standard error unless quiet, in the format of the service's own log: text for
 * people, or a JSON object with `SERVICE_LOG_FORMAT=json`.
 *
 * @param {string} message
 * @param {'info' | 'fatal'} [level]
 */
export function say(message, level = 'info') {
  if (isQuiet) return;
  const time = new Date().toISOString();
  const line = saysJson()
    ? JSON.stringify({ time, level, msg: message })
    : `switchyard: ${message}`;
  process.stderr.write(`${line}\n`);
}
