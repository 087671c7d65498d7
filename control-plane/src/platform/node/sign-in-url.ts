/**
 * An address that signs one browser in. The code stands in the fragment, which browsers send to
 * nobody: no access log and no `Referer` has it.
 */
export function signInUrl(serviceUrl: string, code: string): string {
  return `${serviceUrl}/#code=${encodeURIComponent(code)}`;
}
