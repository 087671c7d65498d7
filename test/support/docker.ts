import { connect } from 'node:net';
import { existsSync } from 'node:fs';
import type { SystemPart } from './system-part.ts';

const probeTimeoutMs = 3_000;
const defaultHost = 'unix:///var/run/docker.sock';

/** Whether a Docker daemon answers at DOCKER_HOST (a unix socket or tcp address), asked over HTTP. */
export async function dockerPart(
  host: string = process.env.DOCKER_HOST ?? defaultHost,
): Promise<SystemPart> {
  const advice = 'start Docker, or set DOCKER_HOST';
  const problem = await ping(host);
  if (problem === null) return { available: true, detail: host };
  return { available: false, reason: `no Docker daemon at ${host} (${problem}): ${advice}` };
}

function ping(host: string): Promise<string | null> {
  const url = URL.canParse(host) ? new URL(host) : null;
  if (url?.protocol === 'unix:' && !existsSync(url.pathname)) {
    return Promise.resolve('no such socket');
  }
  const target =
    url?.protocol === 'unix:'
      ? { path: url.pathname }
      : url?.protocol === 'tcp:'
        ? { host: url.hostname, port: Number(url.port || 2375) }
        : null;
  if (target === null) return Promise.resolve('not a unix or tcp address');
  return new Promise((resolve) => {
    const socket = connect(target);
    const settle = (problem: string | null) => {
      socket.destroy();
      resolve(problem);
    };
    socket.setTimeout(probeTimeoutMs, () => settle('no answer'));
    socket.once('error', (error) => settle(error.message));
    socket.once('connect', () => socket.write('GET /_ping HTTP/1.0\r\nHost: docker\r\n\r\n'));
    socket.once('data', (bytes) =>
      settle(/^HTTP\/1\.\d 200/.test(bytes.toString('latin1')) ? null : 'unexpected answer'),
    );
    socket.once('end', () => settle('closed without an answer'));
  });
}
