/** The page of an issue, or of one attempt of it; null when this service has no public address. */
export function pageOf(
  publicOrigin: string | null,
  identifier: string,
  attemptId: string | null,
): string | null {
  if (publicOrigin === null) return null;
  const page = `${publicOrigin.replace(/\/+$/, '')}/issues/${encodeURIComponent(identifier)}`;
  return attemptId === null ? page : `${page}?attempt=${encodeURIComponent(attemptId)}`;
}
