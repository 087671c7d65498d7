import type { Marker } from '../attempt-end.ts';

const MARKER_LINE = /^(?:SWITCHYARD|SYMPHONY)_STATUS:[ \t]*(DONE|BLOCKED)$/;

/**
 * Splits an agent's message into its words and the marker that its last non-empty line may be.
 * A marker anywhere else is only text.
 */
export function splitMarker(message: string): { text: string; marker: Marker | null } {
  const lines = message.split(/\r?\n/);
  let last = lines.length - 1;
  while (last >= 0 && (lines[last] ?? '').trim() === '') last -= 1;
  const found = MARKER_LINE.exec((lines[last] ?? '').trim());
  if (found === null) return { text: message.trim(), marker: null };
  return { text: lines.slice(0, last).join('\n').trim(), marker: found[1] as Marker };
}
