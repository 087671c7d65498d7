/** Removes the userinfo of every URL in a text, so that no message contains credentials. */
export function redactUrls(text: string): string {
  return text.replaceAll(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@'"]+@/gi, '$1***@');
}
