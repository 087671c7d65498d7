import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { packTar } from './pack-tar.ts';

const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';

/** Serves one image of one layer, `tiny:1`, as a registry does; every request's credential is kept. */
export async function startTinyRegistry(file: { name: string; content: Buffer }) {
  const layer = packTar(file);
  const packed = gzipSync(layer);
  const config = Buffer.from(
    JSON.stringify({
      architecture: 'amd64',
      os: 'linux',
      config: { Cmd: ['/bin/true'] },
      rootfs: { type: 'layers', diff_ids: [digest(layer)] },
    }),
  );
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: {
        mediaType: 'application/vnd.docker.container.image.v1+json',
        size: config.length,
        digest: digest(config),
      },
      layers: [
        {
          mediaType: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
          size: packed.length,
          digest: digest(packed),
        },
      ],
    }),
  );
  const blobs = new Map([config, packed].map((blob) => [digest(blob), blob]));
  const credentials: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    const { url = '', method } = request;
    credentials.push(request.headers.authorization);
    const send = (type: string, body: Buffer) => {
      response.writeHead(200, {
        'content-type': type,
        'content-length': body.length,
        'docker-content-digest': digest(body),
      });
      response.end(method === 'HEAD' ? undefined : body);
    };
    if (url === '/v2/') return send('application/json', Buffer.from('{}'));
    const blob = blobs.get(/\/blobs\/(.+)$/.exec(url)?.[1] ?? '');
    if (blob !== undefined) return send('application/octet-stream', blob);
    const reference = /^\/v2\/tiny\/manifests\/(.+)$/.exec(url)?.[1];
    if (reference === '1' || reference === digest(manifest)) return send(MANIFEST, manifest);
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end('{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    credentials,
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function digest(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
