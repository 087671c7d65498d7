const BYTES: Readonly<Record<string, number>> = {
  a: 0x07,
  b: 0x08,
  t: 0x09,
  n: 0x0a,
  v: 0x0b,
  f: 0x0c,
  r: 0x0d,
};
const PARTS = /\\(?:([0-3][0-7]{2})|(.))|[^\\]+/gsu;
const encoder = new TextEncoder();

/**
 * A quoted name, which git writes for one with `"`, `\`, control characters or bytes beyond ASCII.
 */
export const QUOTED_PATH = /"(?:[^"\\]|\\.)*"/su;

/**
 * A path from git's output of a patch: C-style quotes are decoded, any other path is kept, and the
 * tab that git appends to a name with spaces is removed. Bytes that are not UTF-8 become U+FFFD, so
 * the result is for display; to find a file, read names from git with `-z`.
 */
export function unquotePath(text: string): string {
  const quoted = text.startsWith('"') ? QUOTED_PATH.exec(text)?.[0] : undefined;
  if (quoted === undefined) return text.replace(/\t$/, '');
  const bytes = [...quoted.slice(1, -1).matchAll(PARTS)].flatMap(([part, octal, letter]) => {
    if (octal !== undefined) return [Number.parseInt(octal, 8)];
    const byte = letter === undefined ? undefined : BYTES[letter];
    return byte === undefined ? [...encoder.encode(letter ?? part)] : [byte];
  });
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes));
}
