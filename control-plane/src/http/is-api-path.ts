const RUNNER_PATH = /^\/api\/v1\/runners\/(join$|connect$|sync$|blobs\/)/;

/** Signing in and out, and how a caller is seen. */
export const SESSION_PATH = '/api/v1/session';

/** Routes that runner credentials protect instead of tokens. */
export function isRunnerPath(path: string): boolean {
  return RUNNER_PATH.test(path);
}

/** Inbound deliveries, which their signatures protect. */
export function isWebhookPath(path: string): boolean {
  return path.startsWith('/webhooks/');
}

/** The JSON interface, where every answer is JSON; the rest are pages and static files. */
export function isApiPath(path: string): boolean {
  return /^\/(api|webhooks|metrics)(\/|$)/.test(path);
}

/** Paths that check their caller themselves, or need no check: never the write token. */
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

/** Where bodies are read as they come, by rules of their own. */
export function isStreamedPath(path: string): boolean {
  return path === '/webhooks/codehost';
}
