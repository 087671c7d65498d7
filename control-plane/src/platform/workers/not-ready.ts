/**
 * The Worker cannot start: a setting is missing or invalid, or a migration is missing. The message
 * gives advice and contains no secret.
 */
export class NotReady extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NotReady';
  }
}

/** The response to every request while the control plane cannot start, for whatever reason. */
export function notReadyAnswer(error: unknown): Response {
  const why = error instanceof NotReady ? error.message : 'the control plane cannot start now';
  return Response.json(
    { error: why, status: 503, code: 'not_ready' },
    { status: 503, headers: { 'Retry-After': '5' } },
  );
}
