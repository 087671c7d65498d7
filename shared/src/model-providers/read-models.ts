import { z } from 'zod';
import { parseJson } from '../text/parse-json.ts';
import type { WireApi } from './wire-api.ts';

/** Models of one provider that are read; further ones are ignored. */
export const MAX_MODELS = 5_000;
/** Longest model id, characters; longer texts are not taken for ids. */
const MAX_MODEL_ID_CHARS = 200;
/** Byte limit for one page of a model list; some providers describe each model at length. */
export const MAX_MODEL_PAGE_BYTES = 4 * 1_048_576;
const MAX_PAGES = 20;
const PAGE_MODELS = 1_000;
const MAX_CURSOR_CHARS = 1_000;

/** Model ids in the order of the provider's own list. */
export type OfferedModels = {
  ids: string[];
  /** False: the list has more models than are read. */
  isWhole: boolean;
};

type Page = { ids: string[]; next: string | null };

const Entries = z.array(z.unknown());
const OpenAiPage = z.union([z.object({ data: Entries }).transform(({ data }) => data), Entries]);
const MessagesPage = z.object({
  data: Entries,
  has_more: z.boolean().optional().catch(undefined),
  last_id: z.string().optional().catch(undefined),
});
const GeminiPage = z.object({
  models: Entries,
  nextPageToken: z.string().optional().catch(undefined),
});
const Id = z
  .string()
  .min(1)
  .max(MAX_MODEL_ID_CHARS)
  .regex(/^[^\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+$/u);
const Entry = z.object({ id: Id });
const GeminiEntry = z.object({
  name: z
    .string()
    .transform((name) => name.replace(/^models\//, ''))
    .pipe(Id),
  supportedGenerationMethods: z.array(z.unknown()).optional(),
});

/**
 * Reads the models that a provider lists, in its API format. `readPage` returns one page's text, by
 * path and query as for `upstreamUrl`; its errors are passed on. Null: the response is no model
 * list. Entries that are not models, or whose id has blanks, are skipped.
 */
export async function readModels(
  wireApi: WireApi,
  readPage: (target: string) => Promise<string>,
): Promise<OfferedModels | null> {
  const ids = new Set<string>();
  let cursor: string | null = null;
  for (let count = 0; count < MAX_PAGES; count += 1) {
    // A page says where the next one begins.
    // oxlint-disable-next-line no-await-in-loop
    const page: Page | null = pageOf(wireApi, await readPage(pageTarget(wireApi, cursor)));
    if (page === null) return null;
    for (const id of page.ids) {
      if (ids.size >= MAX_MODELS && !ids.has(id)) return { ids: [...ids], isWhole: false };
      ids.add(id);
    }
    if (page.next === null) return { ids: [...ids], isWhole: true };
    if (page.next === cursor || page.next.length > MAX_CURSOR_CHARS) break;
    cursor = page.next;
  }
  return { ids: [...ids], isWhole: false };
}

function pageTarget(wireApi: WireApi, cursor: string | null): string {
  const after = cursor === null ? null : encodeURIComponent(cursor);
  if (wireApi === 'gemini') {
    const token = after === null ? '' : `&pageToken=${after}`;
    return `/v1beta/models?pageSize=${PAGE_MODELS}${token}`;
  }
  if (wireApi !== 'messages') return '/v1/models';
  return `/v1/models?limit=${PAGE_MODELS}${after === null ? '' : `&after_id=${after}`}`;
}

function pageOf(wireApi: WireApi, text: string): Page | null {
  const body = parseJson(text);
  if (wireApi === 'gemini') {
    const page = GeminiPage.safeParse(body);
    if (!page.success) return null;
    const { models, nextPageToken = '' } = page.data;
    const found = models.map((entry) => GeminiEntry.safeParse(entry));
    const ids = found.flatMap(({ data }) => (generates(data) ? [data.name] : []));
    const isList = models.length === 0 || found.some(({ success }) => success);
    return isList ? { ids, next: nextPageToken === '' ? null : nextPageToken } : null;
  }
  if (wireApi === 'messages') {
    const page = MessagesPage.safeParse(body);
    if (!page.success) return null;
    const { data, has_more: hasMore = false, last_id: last = '' } = page.data;
    return idsOf(data, hasMore && last !== '' ? last : null);
  }
  const page = OpenAiPage.safeParse(body);
  return page.success ? idsOf(page.data, null) : null;
}

/** Whether the model generates text: those that only embed or draw are useless to an agent. */
function generates(
  entry: z.infer<typeof GeminiEntry> | undefined,
): entry is z.infer<typeof GeminiEntry> {
  const methods = entry?.supportedGenerationMethods;
  return entry !== undefined && (methods === undefined || methods.includes('generateContent'));
}

/** The ids of a page; null when none of its entries is a model. */
function idsOf(entries: readonly unknown[], next: string | null): Page | null {
  const ids = entries.flatMap((entry) => Entry.safeParse(entry).data?.id ?? []);
  return ids.length === 0 && entries.length > 0 ? null : { ids, next };
}
