import type { CoreWorld } from './core-world.ts';

/** Asks the API as somebody on this machine does. The caller knows what shape is answered. */
export async function callCore(
  world: CoreWorld,
  method: string,
  path: string,
  given?: Record<string, unknown>,
): Promise<{ status: number; body: never }> {
  const response = await world.core.app.request(
    `http://127.0.0.1:4000${path}`,
    {
      method,
      headers: { Host: '127.0.0.1:4000', 'content-type': 'application/json' },
      ...(given !== undefined && { body: JSON.stringify(given) }),
    },
    { remoteAddress: '127.0.0.1' },
  );
  return { status: response.status, body: (await response.json()) as never };
}
