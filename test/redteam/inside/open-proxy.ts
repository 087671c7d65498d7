import { chmod, mkdir } from 'node:fs/promises';
import { hashToken } from '../../../runner/src/egress/grant.ts';
import { ProxyServer } from '../../../runner/src/egress/proxy-server.ts';

/** The proxy of an attempt without its list and without its address check. The caller closes it. */
export async function openProxy(folder: string, hosts: string[]): Promise<ProxyServer> {
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o755);
  const proxy = new ProxyServer();
  await proxy.grant({
    attemptId: 'redteam',
    epoch: 1,
    tokenHash: hashToken('none'),
    apiKey: null,
    upstreamBaseUrl: 'http://127.0.0.1:1/v1',
    expiresAtMs: Date.now() + 600_000,
    socketFolder: folder,
    egress: { hosts, privateHosts: hosts, readOnlyOrigins: [], maxBytes: 1024 ** 3 },
  });
  return proxy;
}

// As a program: `open-proxy.ts FOLDER HOST…`, inside a network of the suite, until it is killed.
if (import.meta.main) {
  const [folder = '', ...hosts] = process.argv.slice(2);
  await openProxy(folder, hosts);
  setInterval(() => undefined, 60_000);
}
