import type { Context, ErrorHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ErrorBody } from '@switchyard/shared/api/error-body';
import { cutText } from '@switchyard/shared/text/cut-text';
import type { z } from 'zod';
import { databaseAway } from '../db/database-away.ts';
import { AppError, type ErrorDetail } from '../errors.ts';
import type { ErrorTracker, Logger } from '../ports/ports.ts';
import type { HttpEnv } from './bindings.ts';
import { describeFailure } from './describe-failure.ts';
import { sendJson } from './send-json.ts';

const MAX_DETAILS = 50;
const MAX_MESSAGE_CHARACTERS = 2_000;

/** Error codes for HTTP statuses that libraries return. */
const CODE_BY_STATUS: Readonly<Record<number, string>> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  408: 'request_timeout',
  413: 'too_large',
  415: 'unsupported_media_type',
};

/** Seconds in which a restarting server is usually back. */
const AWAY_RETRY_AFTER_S = '5';

/** The issue of a request, if its path names one. */
const ISSUE_PATH = /^\/api\/v1\/([A-Za-z][A-Za-z0-9]*-[0-9]+)(\/|$)/;
const ATTEMPT_PATH = /^\/api\/v1\/attempts\/([^/]{1,64})(\/|$)/;

/**
 * Converts whatever a handler throws into the error envelope. Unknown errors become a plain 500.
 */
export function errorHandler(logger: Logger, errors?: ErrorTracker): ErrorHandler<HttpEnv> {
  return function errorHandler(error, c) {
    if (error instanceof AppError) {
      for (const [name, value] of Object.entries(error.headers)) c.header(name, value);
      return respond(c, {
        error: error.message,
        status: error.status,
        code: error.reason ?? error.code,
        ...(error.details === undefined ? {} : { details: error.details }),
      });
    }
    if (error instanceof HTTPException && error.status < 500) {
      const code = CODE_BY_STATUS[error.status] ?? 'bad_request';
      return respond(c, { error: error.message || code, status: error.status, code });
    }
    const away = databaseAway(error);
    if (away !== null) {
      const { method, path } = c.req;
      logger.warn('the database does not answer', { method, path, error: away.message });
      c.header('Retry-After', AWAY_RETRY_AFTER_S);
      const message = `the database does not answer now: ${away.message}; ask again in a moment`;
      return respond(c, { error: message, status: 503, code: 'database_away' });
    }
    errors?.capture(error, {
      requestId: c.get('requestId'),
      issue: ISSUE_PATH.exec(c.req.path)?.[1],
      attemptId: ATTEMPT_PATH.exec(c.req.path)?.[1],
      operation: `${c.req.method} ${c.req.routePath}`,
    });
    logger.error('a request failed', {
      requestId: c.get('requestId'),
      method: c.req.method,
      path: c.req.path,
      error: describeFailure(error),
    });
    return respond(c, { error: 'internal error', status: 500, code: 'internal' });
  };
}

/** Describes invalid input by zod's findings. */
function invalidInput(error: z.core.$ZodError, prefix = ''): AppError {
  const details: ErrorDetail[] = error.issues.slice(0, MAX_DETAILS).map((issue) => ({
    path: [prefix, ...issue.path.map(String)].filter((part) => part !== '').join('.'),
    message: issue.message,
  }));
  const [first] = details;
  const where = first === undefined || first.path === '' ? '' : `${first.path}: `;
  const message = `${where}${first?.message ?? 'invalid input'}`;
  return new AppError('bad_request', cutText(message, MAX_MESSAGE_CHARACTERS), {
    reason: 'invalid_input',
    details,
  });
}

type Validation =
  | { target: string; success: true }
  | { target: string; success: false; error: z.core.$ZodError };

/**
 * The app's `defaultHook`: answers 400 with details to input that a route's schema refuses, and 404
 * to a path parameter that cannot be any resource's name.
 */
export function refuseInvalid(result: Validation, c: Context): void {
  if (result.success) return;
  if (result.target === 'param') {
    throw new AppError('not_found', `${JSON.stringify(lastSegment(c.req.path))} not found`);
  }
  throw invalidInput(result.error, result.target === 'query' ? 'query' : '');
}

function lastSegment(path: string): string {
  return cutText(path.split('/').findLast((segment) => segment !== '') ?? '', 200);
}

function respond(c: Context<HttpEnv>, body: ErrorBody): Response {
  const requestId = c.get('requestId');
  const full = requestId === undefined ? body : { ...body, requestId };
  return sendJson(c, full, body.status);
}
