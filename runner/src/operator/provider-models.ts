import { type RequestOptions, request as httpRequest } from 'node:http';
import { z } from 'zod';

const MAX_BYTES = 1024 * 1024;
const MAX_MODELS = 2_000;
/** A provider of models may think long about a turn, but not about a list. */
const TIMEOUT_MS = 5_000;

const ModelList = z.object({
  data: z.array(z.looseObject({ id: z.string().min(1).max(200) })).max(MAX_MODELS),
});

/** How the runner itself reaches its model proxy. */
export type ProxyRoute = { socketPath: string } | { host: string; port: number };

/** Ids of the provider's own list, asked through the model proxy; null when it gives none. */
export async function providerModels(
  route: ProxyRoute,
  token: string,
  signal: AbortSignal,
): Promise<string[] | null> {
  try {
    const text = await get(
      {
        ...route,
        path: '/v1/models',
        headers: { authorization: `Bearer ${token}` },
        agent: false,
      },
      AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    );
    return ModelList.parse(JSON.parse(text)).data.map(({ id }) => id);
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
        if (bytes > MAX_BYTES) request.destroy(new Error('too long'));
        else chunks.push(chunk);
      });
      response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end();
  });
}
