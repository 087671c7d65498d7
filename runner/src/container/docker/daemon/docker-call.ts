import type Docker from 'dockerode';

/** Timeout of any single request to the Docker daemon. */
export const DOCKER_CALL_TIMEOUT_MS = 30_000;

/** A request to the Docker daemon failed; the message says what was tried and gives advice. */
export class DockerError extends Error {
  override readonly name = 'DockerError';
  /** HTTP status of the daemon's response; null when there was none. */
  readonly status: number | null;

  constructor(message: string, status: number | null, cause: unknown) {
    super(message, { cause });
    this.status = status;
  }
}

/**
 * Runs one request with a timeout. `what` names it in errors, such as `create container x`. Throws
 * DockerError; the request is aborted on the timeout.
 */
export async function dockerCall<T>(
  what: string,
  request: (abortSignal: AbortSignal) => Promise<T>,
  timeoutMs: number = DOCKER_CALL_TIMEOUT_MS,
): Promise<T> {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(
        new DockerError(
          `docker: ${what}: no answer within ${timeoutMs} ms; the daemon may be hung (docker info), restart it`,
          null,
          undefined,
        ),
      );
      abort.abort();
    }, timeoutMs);
  });
  try {
    return await Promise.race([request(abort.signal), expired]);
  } catch (error) {
    throw describe(what, error);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether an error is the daemon's 404 (no such container or image). */
export function isMissing(error: unknown): boolean {
  return error instanceof DockerError && error.status === 404;
}

/** Whether the daemon lacks the image, as opposed to a removed container. */
export function isImageMissing(error: unknown): boolean {
  return (
    isMissing(error) &&
    error instanceof Error &&
    /no such image|image not found/i.test(error.message)
  );
}

/** Whether this process may not use the daemon's socket. */
export function isNotPermitted(error: unknown): boolean {
  const cause: unknown = error instanceof DockerError ? error.cause : null;
  return cause instanceof Error && 'code' in cause && cause.code === 'EACCES';
}

/**
 * Whether an error is the daemon's 409 (name in use, or the container's state does not allow it).
 */
export function isConflict(error: unknown): boolean {
  return error instanceof DockerError && error.status === 409;
}

/** Address of the daemon that this client uses, for messages. */
export function daemonAddress(docker: Docker): string {
  const socketPath: unknown = Reflect.get(docker.modem, 'socketPath');
  const host: unknown = Reflect.get(docker.modem, 'host');
  if (typeof socketPath === 'string') return `unix://${socketPath}`;
  if (typeof host === 'string') return `tcp://${host}:${String(Reflect.get(docker.modem, 'port'))}`;
  return 'the default Docker socket';
}

function describe(what: string, error: unknown): DockerError {
  if (error instanceof DockerError) return error;
  const fields: { statusCode?: unknown; code?: unknown; message?: unknown; json?: unknown } =
    typeof error === 'object' && error !== null ? error : {};
  const status = typeof fields.statusCode === 'number' ? fields.statusCode : null;
  const code = typeof fields.code === 'string' ? fields.code : null;
  if (code === 'ENOENT' || code === 'ECONNREFUSED') {
    return new DockerError(
      `docker: ${what}: no daemon answers; start Docker, or set DOCKER_HOST to its socket`,
      null,
      error,
    );
  }
  if (code === 'EACCES') {
    return new DockerError(
      `docker: ${what}: no permission for the daemon's socket; add this user to its group`,
      null,
      error,
    );
  }
  return new DockerError(`docker: ${what}: ${answerText(fields)}`, status, error);
}

/** The daemon's own message without the client's additions. */
function answerText(fields: { message?: unknown; json?: unknown }): string {
  const json = fields.json;
  if (typeof json === 'object' && json !== null && 'message' in json) {
    return String(json.message).trim();
  }
  return typeof fields.message === 'string' ? fields.message.trim() : 'unknown error';
}
