/** Whether the log is one JSON object a line. */
export function saysJson() {
  return process.env['SERVICE_LOG_FORMAT']?.trim().toLowerCase() === 'json';
}

let isQuiet = false;

/** From now on nothing is said: the target prints JSON, and nothing else may stand beside it. */
export function beQuiet() {
  isQuiet = true;
}

/** Whether tools may show what they do. */
export const saysNothing = () => isQuiet;

/**
 * Says one line on standard error, in the form that the service's own log has: words for people, or
 * a JSON object with `SERVICE_LOG_FORMAT=json`.
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
