import { cutText } from '@switchyard/shared/text/cut-text';
import { TERMINAL_ESCAPES } from '@switchyard/shared/text/plain-text';

/**
 * Control characters, and marks that change the direction of text, which would make output look
 * like other output.
 */
const CONTROLS =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

// oxlint-disable-next-line no-control-regex
const COLOURS = /\u001b\[[\d;]*m/g;
/** Placeholder of a colour's escape while all others are removed; it must not occur in output. */
const HELD = /[\ue000\ue001]/g;

/** Terminal output like `plainTerminalText`, with the escapes for colours kept. */
export function colouredTerminalText(text: string): string {
  const held = text
    .replace(HELD, '')
    .replace(COLOURS, (escape) => `\ue000${escape.slice(2, -1)}\ue001`);
  return plainTerminalText(held).replace(/\ue000([\d;]*)\ue001/g, '\u001b[$1m');
}

/** Output as a terminal would finally show it: no escapes, overwritten lines only once. */
export function plainTerminalText(text: string): string {
  const visible = text.replace(TERMINAL_ESCAPES, '').replaceAll('\r\n', '\n');
  const lines = visible.split('\n').map((line) => line.slice(line.lastIndexOf('\r') + 1));
  return lines.join('\n').replace(CONTROLS, '');
}

/** The beginning of a text that fits in `maxChars`, and the number of omitted characters. */
export function clip(text: string, maxChars: number): { text: string; omitted: number } {
  const kept = cutText(text, maxChars);
  return { text: kept, omitted: text.length - kept.length };
}
