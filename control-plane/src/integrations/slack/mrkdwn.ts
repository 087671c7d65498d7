import { plainLine, plainText as withoutControls } from '@switchyard/shared/text/plain-text';

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Text that Slack shows literally, truncated to `maxChars` after escaping, so that no entity is cut
 * and no mention, link or command gets through.
 */
export function escapeMrkdwn(text: string, maxChars: number): string {
  return cut(text, maxChars, (char) => ESCAPED[char] ?? char);
}

/** As `escapeMrkdwn`, for a field without markup. */
export function plainText(text: string, maxChars: number): string {
  return cut(plainLine(text), maxChars, (char) => char);
}

/** A link in mrkdwn; null for an address that is not http(s). */
export function mrkdwnLink(url: string, label: string): string | null {
  if (!URL.canParse(url)) return null;
  const parsed = new URL(url);
  if (!/^https?:$/.test(parsed.protocol) || parsed.href.length > 2_000) return null;
  const href = parsed.href.replace(/[<>|&]/g, (char) =>
    char === '&' ? '&amp;' : encodeURIComponent(char),
  );
  return `<${href}|${escapeMrkdwn(label.replace(/\s+/g, ' '), 150)}>`;
}

function cut(text: string, maxChars: number, escape: (char: string) => string): string {
  let result = '';
  for (const char of withoutControls(text)) {
    const piece = escape(char);
    if (result.length + piece.length >= maxChars) return `${result}…`;
    result += piece;
  }
  return result;
}
