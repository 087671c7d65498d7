/** Where people follow an issue, or one attempt of it; null when this service has no address. */
export function pageOf(
  publicOrigin: string | null,
  identifier: string,
  attemptId: string | null,
): string | null {
  if (publicOrigin === null) return null;
  const page = `${publicOrigin.replace(/\/+$/, '')}/issues/${encodeURIComponent(identifier)}`;
  return attemptId === null ? page : `${page}?attempt=${encodeURIComponent(attemptId)}`;
}
