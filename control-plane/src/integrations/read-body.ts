import { decodeTail } from '@switchyard/shared/text/decode-tail';

/** A response with more bytes than the limit. */
export class AnswerTooLong extends RangeError {
  constructor(maxBytes: number) {
    super(`the answer is longer than ${maxBytes} bytes`);
    this.name = 'AnswerTooLong';
  }
}

/** The body as text; throws `AnswerTooLong` when it has more than `maxBytes`. */
export async function readBody(response: Response, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunksOf(response)) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new AnswerTooLong(maxBytes);
    parts.push(chunk);
  }
  return textOf(parts);
}

/** The last bytes of a body, of which at most `maxReadBytes` are read. */
export async function readTail(
  response: Response,
  { tailBytes, maxReadBytes }: { tailBytes: number; maxReadBytes: number },
): Promise<string> {
  const parts: Uint8Array[] = [];
  let kept = 0;
  let read = 0;
  for await (const chunk of chunksOf(response)) {
    read += chunk.byteLength;
    if (read > maxReadBytes) break;
    parts.push(chunk);
    kept += chunk.byteLength;
    while (kept - (parts[0]?.byteLength ?? 0) >= tailBytes) kept -= parts.shift()?.byteLength ?? 0;
  }
  const bytes = new Uint8Array(kept);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return decodeTail(bytes.subarray(-tailBytes));
}

async function* chunksOf(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}

function textOf(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return parts.map((part) => decoder.decode(part, { stream: true })).join('') + decoder.decode();
}
