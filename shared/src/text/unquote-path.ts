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

/** A name between quotes, as git writes it where one has `"`, `\`, control characters or other bytes. */
export const QUOTED_PATH = /"(?:[^"\\]|\\.)*"/su;

/**
 * A path as git prints it in a patch: one in C-style quotes is unquoted, another stays as it is, and the
 * tab goes that git puts behind a name with spaces. Bytes that are no UTF-8 become U+FFFD, so the
 * answer is for people; to look a file up, ask git for names with `-z`.
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
