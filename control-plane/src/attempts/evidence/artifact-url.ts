/** Path of this service that answers a file which the agent of an attempt left. */
export function artifactUrl(attemptId: string, sha256: string): string {
  return `/api/v1/attempts/${attemptId}/artifacts/${sha256}`;
}
