import { createServer } from 'node:http';
import { join } from 'node:path';

/**
 * A Docker daemon without any image, on a processor for which none can be built: as much of it as
 * is asked before a build.
 */
export async function startBareDaemon(
  folder: string,
): Promise<{ dockerHost: string; close(): Promise<void> }> {
  const path = join(folder, 'daemon.sock');
  const answers: Record<string, object> = {
    '/version': { Version: '0.0' },
    '/info': { Architecture: 'riscv64', ServerVersion: '0.0' },
  };
  const server = createServer((request, response) => {
    const found = answers[request.url ?? ''];
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? { message: 'No such image' }));
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    dockerHost: `unix://${path}`,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
