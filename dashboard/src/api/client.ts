import type { ErrorBody } from '@switchyard/shared/api/error';

const REQUEST_TIMEOUT_MS = 20_000;

/** What a failed call says. `status` is 0 when the service could not be reached at all. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string | null;
  readonly details: { path: string; message: string }[];

  constructor(status: number, message: string, body?: ErrorBody) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = body?.code ?? null;
    this.details = body?.details ?? [];
  }
}

type Call = { method?: 'GET' | 'POST' | 'DELETE'; body?: unknown; signal?: AbortSignal };

/**
 * Calls `/api/v1` + path and parses JSON. The type is the caller's promise, held by the shared
 * contract. Throws ApiError with the server's own message; gives up after 20 s.
 */
export async function callApi<T>(path: string, call: Call = {}): Promise<T> {
  const response = await send(path, call);
  if (response.status === 204) return undefined as T;
  return (await response.json()) as T;
}

/** As `callApi`, for the few answers that are plain text. */
export async function callApiText(path: string, call: Call = {}): Promise<string> {
  return (await send(path, call)).text();
}

async function send(path: string, call: Call): Promise<Response> {
  const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const init: RequestInit = {
    method: call.method ?? 'GET',
    signal: call.signal ? AbortSignal.any([call.signal, timeout]) : timeout,
  };
  if (call.body !== undefined) {
    init.headers = { 'content-type': 'application/json' };
    init.body = JSON.stringify(call.body);
  }
  const response = await fetch(`/api/v1${path}`, init).catch((error: unknown) => {
    if (call.signal?.aborted) throw error;
    throw new ApiError(
      0,
      timeout.aborted ? 'The service took too long to answer.' : 'The service cannot be reached.',
    );
  });
  if (!response.ok) throw await readError(response);
  return response;
}

async function readError(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => null);
  if (isErrorBody(body)) return new ApiError(response.status, body.error, body);
  return new ApiError(response.status, `The service answered ${response.status}.`);
}

function isErrorBody(body: unknown): body is ErrorBody {
  return (
    typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
  );
}

/** The sentence to show for anything thrown. */
export function errorText(error: unknown): string {
  if (error instanceof ApiError) {
    const details = error.details.map((detail) => `${detail.path}: ${detail.message}`);
    return [error.message, ...details].join(' ');
  }
  return error instanceof Error ? error.message : String(error);
}
