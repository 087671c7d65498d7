import { cutText } from '@switchyard/shared/text/cut-text';
import { retryAfterMs } from '@switchyard/shared/network/retry-after-ms';
import { requestTrouble } from '../request-trouble.ts';

/** Longest part of a response that an error repeats. */
const MAX_ANSWER_CHARS = 200;
const MAX_RETRY_AFTER_MS = 3_600_000;
/** Shorter parts of an address reveal nothing, and hiding them would blank out ordinary words. */
const MIN_HIDDEN_CHARS = 6;

/** A failed post. The message is safe to show, because it never contains the address. */
export class PostFailed extends Error {
  /** Whether the receiver will never accept this message. */
  readonly useless: boolean;
  /** Time for which the receiver wants no further request, milliseconds; null when not given. */
  readonly retryAfterMs: number | null;

  constructor(message: string, options: { useless?: boolean; retryAfterMs?: number | null } = {}) {
    super(message);
    this.name = 'PostFailed';
    this.useless = options.useless ?? false;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/**
 * Posts JSON text to an address and requires a 2xx within `timeoutMs`. Redirects are not followed,
 * and only a small part of a response is read. Throws `PostFailed`.
 */
export async function postJson(input: {
  url: string;
  body: string;
  headers?: Record<string, string>;
  timeoutMs: number;
}): Promise<void> {
  if (!URL.canParse(input.url) || !/^https?:$/.test(new URL(input.url).protocol)) {
    throw new PostFailed('its address is not an http(s) address');
  }
  const signal = AbortSignal.timeout(input.timeoutMs);
  try {
    const response = await fetch(input.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...input.headers },
      body: input.body,
      redirect: 'manual',
      signal,
    });
    if (response.ok) {
      await response.body?.cancel();
      return;
    }
    throw await refusal(response, input.url);
  } catch (error) {
    if (error instanceof PostFailed) throw error;
    throw new PostFailed(
      signal.aborted ? `no answer within ${input.timeoutMs} ms` : requestTrouble(error),
    );
  }
}

async function refusal(response: Response, url: string): Promise<PostFailed> {
  const text = hideAddress(await firstText(response), url);
  const { status } = response;
  return new PostFailed(`answered ${status}${text === '' ? '' : `: ${text}`}`, {
    useless: status === 400 || status === 413 || status === 422,
    retryAfterMs: retryAfterMs(response.headers.get('retry-after'), Date.now(), MAX_RETRY_AFTER_MS),
  });
}

async function firstText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= MAX_ANSWER_CHARS) break;
  }
  return cutText(text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim(), MAX_ANSWER_CHARS);
}

function hideAddress(text: string, url: string): string {
  const { pathname, search, password } = new URL(url);
  const parts = [url, pathname + search, ...pathname.split('/'), search, password];
  return parts
    .filter((part) => part.length >= MIN_HIDDEN_CHARS)
    .reduce((hidden, part) => hidden.replaceAll(part, '[hidden]'), text);
}
