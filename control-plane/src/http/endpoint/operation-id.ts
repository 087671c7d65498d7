const VERBS: Readonly<Record<string, string>> = {
  get: 'get',
  put: 'replace',
  post: 'post',
  patch: 'change',
  delete: 'delete',
};

/** `POST /api/v1/{id}/abort` is `postByIdAbort`: unique because method and path are. */
export function operationId(method: string, path: string): string {
  const words = path
    .replace(/^\/api\/v1/, '')
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => segment.replace(/^\{(.+)\}$/, 'by-$1'))
    .flatMap((segment) => segment.split(/[^A-Za-z0-9]+/));
  const name = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('');
  return `${VERBS[method] ?? method}${name}`;
}
