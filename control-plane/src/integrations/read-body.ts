import { ByteTail } from '@switchyard/shared/bytes/byte-tail';
import { collectBytes } from '@switchyard/shared/bytes/collect-bytes';

/** A response with more bytes than the limit. */
export class AnswerTooLong extends RangeError {
  constructor(maxBytes: number) {
    super(`the answer is longer than ${maxBytes} bytes`);
    this.name = 'AnswerTooLong';
  }
}

/** The body as text; throws `AnswerTooLong` when it has more than `maxBytes`. */
export async function readBody(response: Response, maxBytes: number): Promise<string> {
  const { bytes, isWhole } = await collectBytes(response.body, maxBytes);
  if (!isWhole) throw new AnswerTooLong(maxBytes);
  return new TextDecoder().decode(bytes);
}

/** The last bytes of a body, of which at most `maxReadBytes` are read. */
export async function readTail(
  response: Response,
  { tailBytes, maxReadBytes }: { tailBytes: number; maxReadBytes: number },
): Promise<string> {
  const tail = new ByteTail(tailBytes);
  let read = 0;
  for await (const chunk of response.body ?? []) {
    read += chunk.byteLength;
    if (read > maxReadBytes) break;
    tail.add(chunk);
  }
  return tail.text();
}
