import { cutText } from '@switchyard/shared/text/cut-text';
import { providerHeaders } from '@switchyard/shared/model-providers/provider-headers';
import {
  MAX_MODEL_PAGE_BYTES,
  type OfferedModels,
  readModels,
} from '@switchyard/shared/model-providers/read-models';
import { upstreamUrl } from '@switchyard/shared/model-providers/upstream-url';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';
import { statusTrouble } from '@switchyard/shared/network/network-trouble';
import { z } from 'zod';
import { AnswerTooLong, readBody } from '../../integrations/read-body.ts';
import { requestTrouble } from '../../integrations/request-trouble.ts';
import { MIN_SECRET_CHARS } from '../../observe/redaction/secret-forms.ts';
import { parseJson } from '@switchyard/shared/text/parse-json';

/** Timeout for all pages of a list together. */
const TIMEOUT_MS = 10_000;
const MAX_MESSAGE_CHARS = 400;
const MAX_ADDRESS = 200;
const MAX_PAGE = 10_000;

const Refusal = z.union([
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
  z.object({ error: z.string() }).transform(({ error }) => error),
  z.object({ message: z.string() }).transform(({ message }) => message),
]);

export type ProviderAnswer = {
  ok: boolean;
  message: string;
  notes: string[];
  /** The listed models; null when the provider gave no list. */
  offered: OfferedModels | null;
};

/** Address, wire format and key for the request; a null key sends none. */
export type ProviderQuestion = { baseUrl: string; wireApi: WireApi; apiKey: string | null };

/** A response that ends the paging, whatever page was requested. */
class EndOfAsking extends Error {
  readonly answer: ProviderAnswer;
  constructor(answer: ProviderAnswer) {
    super(answer.message);
    this.answer = answer;
  }
}

/**
 * Requests a model provider's list of models with a key, which costs nothing. A provider without
 * such a list counts as good, since only a run can tell more. Never throws; never repeats the key.
 */
export async function askProvider(
  asked: ProviderQuestion,
  send: typeof fetch = fetch,
): Promise<ProviderAnswer> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  let last = '';
  try {
    const offered = await readModels(asked.wireApi, async (target) => {
      last = await askPage(asked, target, { send, signal });
      return last;
    });
    return offered === null ? noList(withoutKey(last, asked)) : taken(asked, offered);
  } catch (error) {
    if (error instanceof EndOfAsking) return error.answer;
    throw error;
  }
}

/** The text of one page. Throws `EndOfAsking` for any response that is no page. */
async function askPage(
  asked: ProviderQuestion,
  target: string,
  { send, signal }: { send: typeof fetch; signal: AbortSignal },
): Promise<string> {
  const { baseUrl, wireApi, apiKey } = asked;
  let response: Response;
  let text: string;
  try {
    response = await send(upstreamUrl(baseUrl, target), {
      headers: providerHeaders(wireApi, apiKey),
      // Redirects are not followed: a key is sent only to the address for which it was given.
      redirect: 'manual',
      signal,
    });
    text = await readBody(response, MAX_MODEL_PAGE_BYTES);
  } catch (error) {
    const { host } = new URL(baseUrl);
    throw new EndOfAsking(
      error instanceof AnswerTooLong
        ? refused(`${host} answers with more than a list of models: ${error.message}`)
        : refused(`${host} cannot be reached from here: ${requestTrouble(error)}`),
    );
  }
  const location = response.headers.get('Location');
  if (response.status >= 300 && response.status < 400 && location !== null) {
    const to = cutText(withoutKey(plain(location), asked), MAX_ADDRESS);
    const what = `the provider answered ${response.status}: it is at ${to}; give the address there`;
    throw new EndOfAsking(refused(what));
  }
  if (response.status !== 200) {
    throw new EndOfAsking(judgeStatus(response.status, withoutKey(text, asked)));
  }
  return text;
}

/**
 * Removes the key from messages for people; model names stay, even if the key is a word in them.
 */
function withoutKey(text: string, { apiKey }: ProviderQuestion): string {
  return apiKey === null ? text : text.replaceAll(apiKey, '•••');
}

function judgeStatus(status: number, text: string): ProviderAnswer {
  const message = wordsOf(text);
  if (status === 404 || status === 405) {
    const quoted = message === '' ? [] : [`It says ${status}: ${message}`];
    const doubt = 'Whether the address is right and it takes the key shows with the first run.';
    return {
      ok: true,
      message: 'The provider answers, but has no list of models',
      notes: [...quoted, doubt],
      offered: null,
    };
  }
  const trouble = statusTrouble(status);
  const what = trouble === null ? `answered ${status}` : `${trouble} (${status})`;
  return refused(`the provider ${what}${message === '' ? '' : `: ${message}`}`);
}

function noList(text: string): ProviderAnswer {
  const message = wordsOf(text);
  const found = message === '' ? 'what answers there' : `what answers there (${message})`;
  return refused(`${found} is no list of models; check the address and the format`);
}

function taken({ apiKey }: ProviderQuestion, listed: OfferedModels): ProviderAnswer {
  // A short key of a local endpoint may be part of its model names and is not redacted there.
  const isKey = (id: string) =>
    apiKey !== null && apiKey.length >= MIN_SECRET_CHARS && id.includes(apiKey);
  const offered = { ...listed, ids: listed.ids.filter((id) => !isKey(id)) };
  const { length } = offered.ids;
  const count = `${offered.isWhole ? '' : 'more than '}${length} ${length === 1 ? 'model' : 'models'}`;
  const takes = apiKey === null ? 'answers without a key' : 'takes the key';
  return { ok: true, message: `The provider ${takes} and offers ${count}`, notes: [], offered };
}

function refused(message: string): ProviderAnswer {
  return { ok: false, message: cutText(message, MAX_MESSAGE_CHARS), notes: [], offered: null };
}

/** The provider's error message on one line; of an HTML page, as a proxy sends it, the title. */
function wordsOf(text: string): string {
  const refusal = Refusal.safeParse(parseJson(text));
  const message = refusal.success ? refusal.data : titleOf(cutText(text, MAX_PAGE));
  return cutText(plain(message).trim(), MAX_MESSAGE_CHARS);
}

/** The text on one line without invisible characters. */
function plain(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ');
}

function titleOf(page: string): string {
  return /<(title|h1)[^>]{0,200}>([^<]{1,400})</i.exec(page)?.[2] ?? '';
}
