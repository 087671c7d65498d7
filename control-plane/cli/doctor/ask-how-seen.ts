import { urlToHttpOptions } from 'node:url';
import { requestText } from '@switchyard/shared/host/request-text';
import { parseJson } from '@switchyard/shared/text/parse-json';
import { z } from 'zod';

const TIMEOUT_MS = 3_000;
const MAX_ANSWER_BYTES = 10_000;
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
export async function askHowSeen(origin: string, host?: string): Promise<Seen | null> {
  const options = {
    ...urlToHttpOptions(new URL('/api/v1/session', origin)),
    headers: host === undefined ? {} : { Host: host },
    agent: false as const,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    // Certificates are not verified: the answer needs no trust, and no secret is sent.
    rejectUnauthorized: false,
  };
  try {
    return readAnswer((await requestText(options, { maxBytes: MAX_ANSWER_BYTES })).text);
  } catch {
    return null;
  }
}

function readAnswer(text: string): Seen | null {
  const answer = parseJson(text);
  if (NameRefused.safeParse(answer).success) return NAME_REFUSED;
  return SeenCaller.safeParse(answer).data ?? null;
}
