import { z } from 'zod';
import { parseJson } from '../text/parse-json.ts';
import type { WireApi } from './wire-api.ts';

/** Models of one provider; further ones are not read. */
export const MAX_MODELS = 5_000;
/** Longest id of a model, characters; nothing that is longer can be one. */
const MAX_MODEL_ID_CHARS = 200;
/** Bytes of one page of a list; some providers describe each model at length. */
export const MAX_MODEL_PAGE_BYTES = 4 * 1_048_576;
const MAX_PAGES = 20;
const PAGE_MODELS = 1_000;
const MAX_CURSOR_CHARS = 1_000;

/** Ids of a provider's own list, in its order. */
export type OfferedModels = {
  ids: string[];
  /** False: it has more than are read. */
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
 * The models that a provider lists, in its format. `readPage` gives the text of one page, by path and
 * query as `upstreamUrl` takes them; what it throws is thrown. Null: what answers is no such list.
 * Entries that are no models, or cannot be named in one word, are left out.
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

/** Models that only embed or draw are of no use to an agent. */
function generates(
  entry: z.infer<typeof GeminiEntry> | undefined,
): entry is z.infer<typeof GeminiEntry> {
  const methods = entry?.supportedGenerationMethods;
  return entry !== undefined && (methods === undefined || methods.includes('generateContent'));
}

/** A list of which no entry is a model is none. */
function idsOf(entries: readonly unknown[], next: string | null): Page | null {
  const ids = entries.flatMap((entry) => Entry.safeParse(entry).data?.id ?? []);
  return ids.length === 0 && entries.length > 0 ? null : { ids, next };
}
