/** A set-up step failed; the message says what to do next. */
export class BootstrapError extends Error {
  /** @param {string} message @param {number} [exitCode] 1 failed, 2 wrong use, 3 not configured */
  constructor(message, exitCode = 1) {
    super(message);
    this.name = 'BootstrapError';
    this.exitCode = exitCode;
  }
}
