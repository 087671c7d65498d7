import { request as httpRequest } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { CONTROL_VERSION } from './control-server.ts';
import type { ProxyStatus } from './control-server.ts';
import type { GrantRequest } from './grant.ts';
import { controlSocketPath, startProxy } from './start-proxy.ts';

const CALL_TIMEOUT_MS = 10_000;
const STOP_TIMEOUT_MS = 10_000;

/** The runner's handle on its model proxy. */
export interface ModelProxy {
  /** Loopback port for process isolation, see ProxyAccess. */
  readonly hostPort: number;
  /** Makes a grant or renews it; `expiresAtMs` is wall clock. Repeat after a proxy restart. */
  grant(request: GrantRequest): Promise<void>;
  /** Ends a grant and its open requests; false when there was none. */
  revoke(owner: { attemptId: string; epoch: number }): Promise<boolean>;
  status(): Promise<ProxyStatus>;
  /** Ends the proxy's process. */
  stop(): Promise<void>;
}

/**
 * Finds the proxy of this data folder, or starts one. It outlives the runner: attempts that run on
 * while the runner restarts keep their way out. A proxy of another version is replaced.
 */
export async function ensureProxy(
  dataFolder: string,
  options: { idleMinutes?: number } = {},
): Promise<ModelProxy> {
  const path = controlSocketPath(dataFolder);
  const call = <T>(method: string, target: string, body?: unknown): Promise<T> =>
    callControl<T>(path, method, target, body);
  const find = (): Promise<ProxyStatus | null> =>
    call<ProxyStatus>('GET', '/status').catch(() => null);
  const end = async (): Promise<void> => {
    await call('POST', '/stop');
    const limit = Date.now() + STOP_TIMEOUT_MS;
    while ((await find()) !== null) {
      if (Date.now() > limit) throw new Error('the model proxy does not end');
      await delay(20);
    }
  };

  let status = await find();
  if (status && status.controlVersion !== CONTROL_VERSION) {
    await end();
    status = null;
  }
  if (!status) {
    await startProxy(dataFolder, async () => (await find()) !== null, options.idleMinutes);
    status = await call<ProxyStatus>('GET', '/status');
  }
  return {
    hostPort: status.hostPort,
    grant: async (request) => {
      await call('PUT', '/grant', request);
    },
    revoke: async (owner) => {
      const { attemptId, epoch } = owner;
      return (await call<{ revoked: boolean }>('DELETE', '/grant', { attemptId, epoch })).revoked;
    },
    status: () => call<ProxyStatus>('GET', '/status'),
    stop: end,
  };
}

function callControl<T>(
  socketPath: string,
  method: string,
  path: string,
  body: unknown,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    // DELETE has no body framing of its own in Node's client.
    const headers = { 'content-length': Buffer.byteLength(text) };
    const options = { socketPath, method, path, headers, timeout: CALL_TIMEOUT_MS };
    const request = httpRequest(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const answer = Buffer.concat(chunks).toString('utf8');
        if ((response.statusCode ?? 500) < 300) resolve(JSON.parse(answer));
        else reject(new Error(`model proxy: ${method} ${path}: ${answer.slice(0, 500)}`));
      });
    });
    request.on('timeout', () => request.destroy(new Error('model proxy: no answer within 10 s')));
    request.on('error', reject);
    request.end(text);
  });
}
