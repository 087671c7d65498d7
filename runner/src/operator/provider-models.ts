import type { RequestOptions } from 'node:http';
import { requestText } from '@switchyard/shared/host/request-text';
import { MAX_MODEL_PAGE_BYTES, readModels } from '@switchyard/shared/model-providers/read-models';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';

/** Timeout of a request for models, which is fast unlike a turn. */
const TIMEOUT_MS = 5_000;
/** More would not fit into one answer to the control plane. */
const MAX_REPORTED_MODELS = 2_000;

/** How the runner itself reaches its model proxy. */
export type ProxyRoute = { socketPath: string } | { host: string; port: number };

/** How to request a list: the proxy, the attempt's token, and the provider's wire format. */
export type ListAccess = { route: ProxyRoute; token: string; wireApi: WireApi };

/**
 * Ids of the provider's models, requested through the model proxy; null when it provides no list.
 */
export async function providerModels(
  { route, token, wireApi }: ListAccess,
  signal: AbortSignal,
): Promise<string[] | null> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  // The proxy accepts its token in this header for every format, and adds the key itself.
  const headers = { authorization: `Bearer ${token}` };
  try {
    const offered = await readModels(wireApi, (path) =>
      get({ ...route, path, headers, agent: false, signal: inTime }),
    );
    return offered?.ids.slice(0, MAX_REPORTED_MODELS) ?? null;
  } catch {
    // Many providers have no list; the engine's own is used then.
    return null;
  }
}

async function get(options: RequestOptions): Promise<string> {
  const { status, text } = await requestText(options, { maxBytes: MAX_MODEL_PAGE_BYTES });
  if (status === 200) return text;
  throw new Error(`status ${status}`);
}
