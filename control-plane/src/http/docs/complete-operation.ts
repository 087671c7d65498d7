import { type CommonError, tagOf } from './document-parts.ts';

export type Operation = {
  operationId?: string;
  tags?: string[];
  parameters?: { in?: string }[];
  requestBody?: unknown;
  responses?: Record<string, unknown>;
  security?: unknown;
};

const VERBS: Readonly<Record<string, string>> = {
  get: 'get',
  put: 'replace',
  post: 'post',
  patch: 'change',
  delete: 'delete',
};

/** Adds what follows from method, path and parameters; what the route says itself stays. */
export function completeOperation(method: string, path: string, operation: Operation): Operation {
  const errors = Object.fromEntries(
    commonErrors(method, path, operation).map((status) => [
      String(status),
      { $ref: `#/components/responses/Error${status}` },
    ]),
  );
  return {
    ...operation,
    operationId: operation.operationId ?? operationId(method, path),
    tags: operation.tags ?? [tagOf(path)],
    ...(isOpen(path) && operation.security === undefined ? { security: [] } : {}),
    responses: { ...errors, ...operation.responses },
  };
}

/** Checked by other means than tokens, or by none. */
function isOpen(path: string): boolean {
  return (
    /^\/(healthz|readyz|webhooks\/)/.test(path) ||
    /^\/api\/v1\/runners\/(join|sync|blobs)/.test(path) ||
    path === '/api/v1/webhooks/trigger'
  );
}

function commonErrors(method: string, path: string, operation: Operation): CommonError[] {
  if (/^\/(healthz|readyz)$/.test(path)) return [500];
  const places = new Set((operation.parameters ?? []).map((parameter) => parameter.in));
  const hasBody = operation.requestBody !== undefined;
  const changes = method !== 'get';
  return [
    ...(places.has('query') || hasBody ? [400 as const] : []),
    401,
    ...(changes ? [403 as const] : []),
    ...(places.has('path') ? [404 as const] : []),
    ...(hasBody ? [408 as const, 413 as const, 415 as const] : []),
    429,
    500,
    ...(changes ? [503 as const] : []),
  ];
}

/** `POST /api/v1/{id}/abort` is `postByIdAbort`: unique because method and path are. */
function operationId(method: string, path: string): string {
  const words = path
    .replace(/^\/api\/v1/, '')
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => segment.replace(/^\{(.+)\}$/, 'by-$1'))
    .flatMap((segment) => segment.split(/[^A-Za-z0-9]+/));
  const name = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('');
  return `${VERBS[method] ?? method}${name}`;
}
