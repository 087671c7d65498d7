import { parseJson } from '@switchyard/shared/text/parse-json';
import { z } from 'zod';

/** Longer lines are skipped: no needed message is that long. */
const MAX_LINE_BYTES = 64 * 1024;

const DaemonMessage = z.object({
  stream: z.string().optional(),
  status: z.string().optional(),
  /** Layer of the status. */
  id: z.string().optional(),
  progressDetail: z
    .object({ current: z.number().optional(), total: z.number().optional() })
    .optional(),
  error: z.string().optional(),
});
/** One message of the daemon about a build or a pull. */
export type DaemonMessage = z.infer<typeof DaemonMessage>;

/** The messages of a response, one for each line; invalid or too long lines are skipped. */
export async function* daemonMessages(
  answer: AsyncIterable<Uint8Array | string>,
): AsyncGenerator<DaemonMessage> {
  for await (const line of shortLines(answer)) {
    const message = DaemonMessage.safeParse(parseJson(line));
    if (message.success) yield message.data;
  }
}

async function* shortLines(answer: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let tooLong = false;
  for await (const chunk of answer) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!tooLong && line.length <= MAX_LINE_BYTES) yield line;
      tooLong = false;
    }
    if (rest.length > MAX_LINE_BYTES) {
      rest = '';
      tooLong = true;
    }
  }
  if (!tooLong && rest.trim() !== '') yield rest;
}
