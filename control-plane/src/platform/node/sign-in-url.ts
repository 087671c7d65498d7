/**
 * An address that signs in one browser. The code is in the fragment, which browsers do not send, so
 * that it appears in no access log and no `Referer`.
 */
export function signInUrl(serviceUrl: string, code: string): string {
  return `${serviceUrl}/#code=${encodeURIComponent(code)}`;
}
