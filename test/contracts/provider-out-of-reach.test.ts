import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';

const make = useCoreWorlds();

/** What somebody on this machine is told who sets the provider at this address. */
async function connect(baseUrl: string): Promise<{ status: number; error: string }> {
  const { core } = await make();
  const response = await core.app.request(
    'http://127.0.0.1:4000/api/v1/setup/provider',
    {
      method: 'POST',
      headers: { Host: '127.0.0.1:4000', 'content-type': 'application/json' },
      body: JSON.stringify({ baseUrl, apiKey: 'sk-some-key' }),
    },
    { remoteAddress: '127.0.0.1' },
  );
  const { error } = (await response.json()) as { error: string };
  return { status: response.status, error };
}

/** A port on which nothing listens any more. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

it('is told as such: a name that nobody knows has refused nothing', async () => {
  const { status, error } = await connect('http://no-such-host.invalid/v1');
  expect(status).toBe(502);
  expect(error).toMatch(
    /^no-such-host\.invalid cannot be reached from here: its name (is not known|could not be looked up) \(E[A-Z_]+\)$/,
  );
});

it('is told as such: at a port on which nothing listens', async () => {
  const port = await closedPort();
  expect(await connect(`http://127.0.0.1:${port}/v1`)).toEqual({
    status: 502,
    error: `127.0.0.1:${port} cannot be reached from here: nothing accepts connections there (ECONNREFUSED)`,
  });
});
