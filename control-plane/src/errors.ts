/** All refusals of use cases, with their HTTP statuses. */
const STATUS_BY_CODE = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  unprocessable: 422,
  rate_limited: 429,
  internal: 500,
  unsupported_by_engine: 501,
  upstream_failed: 502,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof STATUS_BY_CODE;
export type ErrorDetail = { path: string; message: string };

/** An expected failure with a message for the caller. An unexpected error becomes a plain 500. */
export class AppError extends Error {
  readonly code: ErrorCode;
  /** More precise stable code for clients, such as `standby`. */
  readonly reason: string | undefined;
  readonly details: ErrorDetail[] | undefined;
  readonly headers: Record<string, string>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { reason?: string; details?: ErrorDetail[]; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.name = 'AppError';
    this.code = code;
    this.reason = options.reason;
    this.details = options.details;
    this.headers = options.headers ?? {};
  }

  get status(): (typeof STATUS_BY_CODE)[ErrorCode] {
    return STATUS_BY_CODE[this.code];
  }
}
