/** A setting or a migration is missing; the message says what to do and holds no secret. */
export class NotReady extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NotReady';
  }
}

/** The answer to every request until what is missing is there. */
export function notReadyAnswer(error: unknown): Response {
  const why = error instanceof NotReady ? error.message : 'the control plane cannot start now';
  return Response.json(
    { error: why, status: 503, code: 'not_ready' },
    { status: 503, headers: { 'Retry-After': '5' } },
  );
}
