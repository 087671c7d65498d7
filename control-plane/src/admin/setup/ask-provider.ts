import { cutText } from '@switchyard/shared/text/cut-text';
import { statusTrouble } from '@switchyard/shared/network/network-trouble';
import { z } from 'zod';
import { readBody } from '../../integrations/read-body.ts';
import { requestTrouble } from '../../integrations/request-trouble.ts';
import { parseJson } from '@switchyard/shared/text/parse-json';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1_048_576;
const MAX_WORDS = 400;
const MAX_ADDRESS = 200;
const MAX_PAGE = 10_000;

const ModelList = z.object({ data: z.array(z.looseObject({ id: z.string() })).max(5_000) });
const Refusal = z.union([
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
  z.object({ error: z.string() }).transform(({ error }) => error),
  z.object({ message: z.string() }).transform(({ message }) => message),
]);

export type ProviderAnswer = { ok: boolean; message: string; notes: string[] };

/**
 * Asks a model provider for its models with a key, which costs nothing. A provider without such a
 * list counts as good: only a run can tell more. Never throws; never repeats the key.
 */
export async function askProvider(
  given: { baseUrl: string; apiKey: string | null; model: string },
  send: typeof fetch = fetch,
): Promise<ProviderAnswer> {
  let response: Response;
  let text: string;
  try {
    response = await send(`${given.baseUrl.replace(/\/+$/, '')}/models`, {
      headers: given.apiKey === null ? {} : { Authorization: `Bearer ${given.apiKey}` },
      // A key goes to the address that it was given for and to no other.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    text = await readBody(response, MAX_BYTES);
  } catch (error) {
    const host = new URL(given.baseUrl).host;
    return refused(`${host} cannot be reached from here: ${requestTrouble(error)}`);
  }
  const withoutKey = given.apiKey === null ? text : text.replaceAll(given.apiKey, '•••');
  const target = response.headers.get('Location');
  if (response.status >= 300 && response.status < 400 && target !== null) {
    const to = cutText(target, MAX_ADDRESS);
    return refused(
      `the provider answered ${response.status}: it is at ${to}; give the address there`,
    );
  }
  return judge(response.status, withoutKey, given.model);
}

function judge(status: number, text: string, model: string): ProviderAnswer {
  const words = wordsOf(text);
  if (status === 404 || status === 405) {
    const said = words === '' ? [] : [`It says ${status}: ${words}`];
    const doubt = 'Whether the address is right and it takes the key shows with the first run.';
    return {
      ok: true,
      message: 'The provider answers, but has no list of models',
      notes: [...said, doubt],
    };
  }
  if (status !== 200) {
    const trouble = statusTrouble(status);
    const what = trouble === null ? `answered ${status}` : `${trouble} (${status})`;
    return refused(`the provider ${what}${words === '' ? '' : `: ${words}`}`);
  }
  const list = ModelList.safeParse(parseJson(text));
  if (!list.success) {
    const found = words === '' ? 'what answers there' : `what answers there (${words})`;
    return refused(`${found} is no list of models; check the address`);
  }
  const ids = list.data.data.map(({ id }) => id);
  return {
    ok: true,
    message: `The provider takes the key and offers ${ids.length} ${ids.length === 1 ? 'model' : 'models'}`,
    notes: ids.includes(model)
      ? [`${model} is one of them.`]
      : [`${model} is not in its list: ${ids.slice(0, 8).join(', ') || 'the list is empty'}`],
  };
}

function refused(message: string): ProviderAnswer {
  return { ok: false, message: cutText(message, MAX_WORDS), notes: [] };
}

/** The provider's own words, on one line; of a page, as something in between sends it, the title. */
function wordsOf(text: string): string {
  const refusal = Refusal.safeParse(parseJson(text));
  const words = refusal.success ? refusal.data : titleOf(cutText(text, MAX_PAGE));
  return cutText(words.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim(), MAX_WORDS);
}

function titleOf(page: string): string {
  return /<(title|h1)[^>]{0,200}>([^<]{1,400})</i.exec(page)?.[2] ?? '';
}
