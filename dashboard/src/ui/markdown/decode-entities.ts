const NAMED: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};
const LAST_CODE_POINT = 0x10_ff_ff;

/** Decodes common character references; others are not changed. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));/gi, (whole, hex, dec, name) => {
    if (name !== undefined) return NAMED[String(name)] ?? whole;
    const code = Number.parseInt(String(hex ?? dec), hex === undefined ? 10 : 16);
    return code > 0x1f && code <= LAST_CODE_POINT ? String.fromCodePoint(code) : whole;
  });
}
