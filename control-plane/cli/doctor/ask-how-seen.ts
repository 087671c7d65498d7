import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { z } from 'zod';

const TIMEOUT_MS = 3_000;
const MAX_ANSWER_CHARS = 10_000;
const SeenCaller = z.object({
  scope: z.enum(['read', 'operate', 'admin']).nullable(),
  fromLoopback: z.boolean(),
  remoteChanges: z.boolean(),
});
export type SeenCaller = z.infer<typeof SeenCaller>;
/** The service that is there does not answer under the name it was asked for. */
export const NAME_REFUSED = 'name refused';
const NameRefused = z.object({ code: z.literal('unknown_host') });

type Seen = SeenCaller | typeof NAME_REFUSED;

/**
 * What a service takes a stranger for who shows nothing: a request that changes nothing anywhere.
 * Null where no such service answers. `host`: the name that the stranger says it asks for.
 */
export function askHowSeen(origin: string, host?: string): Promise<Seen | null> {
  const url = new URL('/api/v1/session', origin);
  const headers = host === undefined ? {} : { Host: host };
  const options = { headers, agent: false as const, signal: AbortSignal.timeout(TIMEOUT_MS) };
  return new Promise((resolve) => {
    // A certificate proves nothing that is asked here, and nothing secret is sent.
    const sent =
      url.protocol === 'https:'
        ? requestHttps(url, { ...options, rejectUnauthorized: false })
        : requestHttp(url, options);
    sent.once('error', () => resolve(null));
    sent.once('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => {
        text += part;
        if (text.length > MAX_ANSWER_CHARS) sent.destroy();
      });
      answer.once('end', () => resolve(readAnswer(text)));
      answer.once('close', () => resolve(null));
    });
    sent.end();
  });
}

function readAnswer(text: string): Seen | null {
  try {
    const answer: unknown = JSON.parse(text);
    if (NameRefused.safeParse(answer).success) return NAME_REFUSED;
    return SeenCaller.safeParse(answer).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
