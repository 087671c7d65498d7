const RUNNER_PATH = /^\/api\/v1\/runners\/(join$|connect$|sync$|blobs\/)/;

/** Path for signing in and out, and for the description of the caller. */
export const SESSION_PATH = '/api/v1/session';

/** Whether a path is protected by runner credentials instead of tokens. */
export function isRunnerPath(path: string): boolean {
  return RUNNER_PATH.test(path);
}

/** Whether a path receives webhooks, which are protected by signatures. */
export function isWebhookPath(path: string): boolean {
  return path.startsWith('/webhooks/');
}

/**
 * Whether a path belongs to the API, the webhooks or the metrics; others are pages, health checks
 * and static files.
 */
export function isApiPath(path: string): boolean {
  return /^\/(api|webhooks|metrics)(\/|$)/.test(path);
}

/** Whether a path authenticates its callers itself or is public, and so needs no token here. */
export function hasOwnAuthorization(path: string): boolean {
  return (
    !isApiPath(path) ||
    isWebhookPath(path) ||
    isRunnerPath(path) ||
    path === '/api/v1/webhooks/trigger' ||
    path === SESSION_PATH
  );
}

/** Reads by method, as HTTP defines them. */
export function isReadMethod(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

/** Whether a path's body is read as a stream, with its own limits. */
export function isStreamedPath(path: string): boolean {
  return path === '/webhooks/codehost';
}
