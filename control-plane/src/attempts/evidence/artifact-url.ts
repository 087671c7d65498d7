/** Path of this service that serves an artifact of an attempt. */
export function artifactUrl(attemptId: string, sha256: string): string {
  return `/api/v1/attempts/${attemptId}/artifacts/${sha256}`;
}
