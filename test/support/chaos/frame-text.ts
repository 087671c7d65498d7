import type { RawData } from 'ws';

/** What a text frame says, in whatever form the library hands it over. */
export function frameText(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return Buffer.isBuffer(data) ? data.toString('utf8') : Buffer.from(data).toString('utf8');
}

/** What the body of a request or answer without a socket says, as a frame; empty for any other. */
export function syncFrame(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body);
    const isSync = typeof parsed === 'object' && parsed !== null && 'messages' in parsed;
    return isSync ? JSON.stringify(parsed.messages) : '';
  } catch (error) {
    if (error instanceof SyntaxError) return '';
    throw error;
  }
}
