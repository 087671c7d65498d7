const MAX_CHARACTERS = 120;

/**
 * Name of an issue's workspace folder, by the rule that runners follow: characters outside
 * `[A-Za-z0-9._-]` become `_`, and 16 hex digits of the identifier's SHA-256 follow if any changed.
 */
export async function workspaceKey(identifier: string): Promise<string> {
  const safe = identifier
    .replaceAll(/[^A-Za-z0-9._-]/gu, '_')
    .replace(/^[.]+/, (dots) => '_'.repeat(dots.length))
    .slice(0, MAX_CHARACTERS);
  if (safe === identifier && safe !== '') return safe;
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(identifier));
  const hex = Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0'));
  return `${safe}--${hex.join('').slice(0, 16)}`;
}
