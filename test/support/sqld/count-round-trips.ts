import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Sqld } from './start-sqld.ts';

/** A libSQL server behind a proxy that counts what it is asked. */
export type CountedSqld = { sqld: Sqld; roundTrips(): number };

/** Puts a counting proxy before a server; `stop` of the result ends both. */
export async function countRoundTrips(sqld: Sqld): Promise<CountedSqld> {
  let count = 0;
  const { hostname, port } = new URL(sqld.url);
  const proxy = createServer((asked, answer) => {
    count += 1;
    const { method, headers, url: path } = asked;
    const passed = request({ hostname, port, path, method, headers }, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers);
      given.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const stop = async () => {
    proxy.closeAllConnections();
    proxy.close();
    await sqld.stop();
  };
  return { sqld: { ...sqld, url, stop }, roundTrips: () => count };
}
