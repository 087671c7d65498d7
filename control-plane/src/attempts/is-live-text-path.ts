/** Whether a request path is that of an attempt's live text. */
export function isLiveTextPath(path: string): boolean {
  return /^\/api\/v1\/attempts\/[^/]+\/live$/.test(path);
}
