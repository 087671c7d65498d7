import { cutText } from '@switchyard/shared/text/cut-text';
import { decodeHead } from '@switchyard/shared/text/decode-tail';

/** Longest line that is read as a message; the engine sends whole diffs in one line. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;

/** Limit on a line that never ends: beyond it reading stops. */
const MAX_ENDLESS_BYTES = 256 * 1024 * 1024;

/** Bytes of an invalid line that are kept for people. */
const GARBAGE_SAMPLE_BYTES = 2 * 1024;

const NEWLINE = 0x0a;

export type JsonLine =
  | { kind: 'json'; value: unknown; endOffset: number }
  | { kind: 'garbage'; sample: string; bytes: number; endOffset: number };

/** The bytes of the line that is not complete yet. */
type OpenLine = { chunks: Uint8Array[]; bytes: number; tooLong: boolean };

const emptyLine = (): OpenLine => ({ chunks: [], bytes: 0, tooLong: false });

/**
 * Splits a byte stream into JSON lines. `endOffset` is the position after a line's newline from the
 * start of the whole stream, of which `fromByte` bytes were skipped. A line that is too long or no
 * JSON becomes `garbage`, and reading continues after its newline; blank lines are skipped. Throws
 * once a line exceeds `maxEndlessBytes`.
 */
export async function* readJsonLines(
  stream: AsyncIterable<Uint8Array>,
  fromByte: number,
  maxLineBytes = MAX_LINE_BYTES,
  maxEndlessBytes = MAX_ENDLESS_BYTES,
): AsyncGenerator<JsonLine, void, undefined> {
  let open = emptyLine();
  let offset = fromByte;
  for await (const chunk of stream) {
    let start = 0;
    for (;;) {
      const newline = chunk.indexOf(NEWLINE, start);
      const end = newline === -1 ? chunk.length : newline;
      append(open, chunk.subarray(start, end), maxLineBytes);
      offset += end - start;
      if (open.bytes > maxEndlessBytes) {
        throw new Error(`it printed ${maxEndlessBytes} bytes without the end of a line`);
      }
      if (newline === -1) break;
      offset += 1;
      start = newline + 1;
      const line = closeLine(open, offset);
      open = emptyLine();
      if (line) yield line;
    }
  }
  if (open.bytes > 0) yield garbageOf(open, offset);
}

function append(open: OpenLine, part: Uint8Array, maxLineBytes: number): void {
  if (part.length === 0) return;
  open.bytes += part.length;
  if (open.tooLong) return;
  open.chunks.push(part);
  if (open.bytes <= maxLineBytes) return;
  open.tooLong = true;
  open.chunks = [sampleBytes(open)];
}

function closeLine(open: OpenLine, endOffset: number): JsonLine | null {
  if (open.tooLong) return garbageOf(open, endOffset);
  const text = Buffer.concat(open.chunks).toString('utf8');
  if (text.trim() === '') return null;
  try {
    return { kind: 'json', value: JSON.parse(text) as unknown, endOffset };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return garbageOf(open, endOffset);
  }
}

/** The event for a line that is no message of the protocol. */
export function asGarbage(line: JsonLine): { kind: 'garbage'; sample: string; bytes: number } {
  const { kind } = line;
  if (kind === 'garbage') return { kind, sample: line.sample, bytes: line.bytes };
  const text = JSON.stringify(line.value);
  const sample = cutText(text, GARBAGE_SAMPLE_BYTES);
  return { kind: 'garbage', sample, bytes: Buffer.byteLength(text) };
}

function garbageOf(open: OpenLine, endOffset: number): JsonLine {
  const sample = decodeHead(sampleBytes(open));
  return { kind: 'garbage', sample, bytes: open.bytes, endOffset };
}

function sampleBytes(open: OpenLine): Uint8Array {
  const parts: Uint8Array[] = [];
  let wanted = GARBAGE_SAMPLE_BYTES;
  for (const chunk of open.chunks) {
    if (wanted <= 0) break;
    parts.push(chunk.subarray(0, wanted));
    wanted -= chunk.length;
  }
  return Buffer.concat(parts);
}
