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
/** The result when the service refuses the host name of the request. */
export const NAME_REFUSED = 'name refused';
const NameRefused = z.object({ code: z.literal('unknown_host') });

type Seen = SeenCaller | typeof NAME_REFUSED;

/**
 * How a service classifies an unauthenticated caller, by a request without side effects. Null where
 * no such service responds. `host`: the host name that the request claims.
 */
export function askHowSeen(origin: string, host?: string): Promise<Seen | null> {
  const url = new URL('/api/v1/session', origin);
  const headers = host === undefined ? {} : { Host: host };
  const options = { headers, agent: false as const, signal: AbortSignal.timeout(TIMEOUT_MS) };
  return new Promise((resolve) => {
    // Certificates are not verified: the answer needs no trust, and no secret is sent.
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
