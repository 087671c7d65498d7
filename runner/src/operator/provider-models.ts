import { type RequestOptions, request as httpRequest } from 'node:http';
import { MAX_MODEL_PAGE_BYTES, readModels } from '@switchyard/shared/model-providers/read-models';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';

/** A provider of models may think long about a turn, but not about a list. */
const TIMEOUT_MS = 5_000;
/** More would not fit into one answer to the control plane. */
const MAX_REPORTED_MODELS = 2_000;

/** How the runner itself reaches its model proxy. */
export type ProxyRoute = { socketPath: string } | { host: string; port: number };

/** Where a list is asked: the proxy, the attempt's token, and the format of the provider behind it. */
export type ListAccess = { route: ProxyRoute; token: string; wireApi: WireApi };

/** Ids of the provider's own list, asked through the model proxy; null when it gives none. */
export async function providerModels(
  { route, token, wireApi }: ListAccess,
  signal: AbortSignal,
): Promise<string[] | null> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  // The proxy takes its token in this header in every format, and puts the key where it belongs.
  const headers = { authorization: `Bearer ${token}` };
  try {
    const offered = await readModels(wireApi, (path) =>
      get({ ...route, path, headers, agent: false }, inTime),
    );
    return offered?.ids.slice(0, MAX_REPORTED_MODELS) ?? null;
  } catch {
    // Many providers have no such list; the engine's own is answered then.
    return null;
  }
}

function get(options: RequestOptions, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ ...options, signal }, (response) => {
      if (response.statusCode !== 200) {
        request.destroy(new Error(`status ${response.statusCode}`));
        return;
      }
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_MODEL_PAGE_BYTES) request.destroy(new Error('too long'));
        else chunks.push(chunk);
      });
      response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end();
  });
}
