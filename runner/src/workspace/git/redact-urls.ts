/** Replaces the userinfo of every URL in a text, so that a message never carries a credential. */
export function redactUrls(text: string): string {
  return text.replaceAll(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@'"]+@/gi, '$1***@');
}
