import { statusOfLine } from '@switchyard/shared/engine/status-of-line';
import type { Marker } from '../attempt-end.ts';

/**
 * Splits an agent's message into its text and the marker, which only its last non-empty line can
 * be.
 */
export function splitMarker(message: string): { text: string; marker: Marker | null } {
  const lines = message.split(/\r?\n/);
  let last = lines.length - 1;
  while (last >= 0 && (lines[last] ?? '').trim() === '') last -= 1;
  const marker = statusOfLine(lines[last] ?? '');
  if (marker === null) return { text: message.trim(), marker };
  return { text: lines.slice(0, last).join('\n').trim(), marker };
}
