import { cutText } from '@switchyard/shared/text/cut-text';
import { requestText } from '@switchyard/shared/host/request-text';
import { setTimeout as delay } from 'node:timers/promises';
import { CONTROL_VERSION, type ProxyStatus } from './control-server.ts';
import type { EgressReport } from './policy/egress-log.ts';
import type { GrantRequest } from './grant.ts';
import { ModelReport } from './model/model-report.ts';
import { controlSocketPath, rememberPort, rememberedPort, startProxy } from './start-proxy.ts';

const CALL_TIMEOUT_MS = 10_000;
/** More than the status of a thousand grants. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const STOP_TIMEOUT_MS = 10_000;

/** The runner's connection to its model proxy. */
export interface ModelProxy {
  /** Loopback port for process isolation, see ProxyAccess. Kept across restarts if it is free. */
  readonly hostPort: number;
  /**
   * Creates or renews a grant; `expiresAtMs` is wall clock. Call it at every renewal of the lease:
   * this restarts a proxy that died, and restores its grants one by one.
   */
  grant(request: GrantRequest): Promise<void>;
  /** Ends a grant and its open requests; false when there was none. */
  revoke(owner: { attemptId: string; epoch: number }): Promise<boolean>;
  /** Network requests of an attempt since its grant began; empty for one without access. */
  egressReport(owner: { attemptId: string; epoch: number }): Promise<EgressReport>;
  /** Responses of an attempt's model provider so far; null without a grant or a proxy. */
  modelReport(owner: { attemptId: string; epoch: number }): Promise<ModelReport | null>;
  status(): Promise<ProxyStatus>;
  /** Ends the proxy's process. */
  stop(): Promise<void>;
}

/**
 * Connects to the proxy of this data folder, or starts one. It outlives the runner, so that
 * attempts keep their access while the runner restarts. A proxy of another version is replaced.
 */
export async function ensureProxy(
  dataFolder: string,
  options: { idleMinutes?: number } = {},
): Promise<ModelProxy> {
  const client = new ProxyClient(dataFolder, options.idleMinutes);
  await client.connect();
  return client;
}

class ProxyClient implements ModelProxy {
  readonly #dataFolder: string;
  readonly #socketPath: string;
  readonly #idleMinutes: number | undefined;
  #hostPort = 0;
  #starting: Promise<void> | null = null;

  constructor(dataFolder: string, idleMinutes: number | undefined) {
    this.#dataFolder = dataFolder;
    this.#socketPath = controlSocketPath(dataFolder);
    this.#idleMinutes = idleMinutes;
  }

  get hostPort(): number {
    return this.#hostPort;
  }

  /** Concurrent callers start one proxy. */
  connect(): Promise<void> {
    this.#starting ??= this.#findOrStart().finally(() => (this.#starting = null));
    return this.#starting;
  }

  async grant(request: GrantRequest): Promise<void> {
    try {
      await this.#call('PUT', '/grant', request);
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      await this.connect();
      await this.#call('PUT', '/grant', request);
    }
  }

  async revoke(owner: { attemptId: string; epoch: number }): Promise<boolean> {
    const { attemptId, epoch } = owner;
    try {
      const answer = await this.#call<{ revoked: boolean }>('DELETE', '/grant', {
        attemptId,
        epoch,
      });
      return answer.revoked;
    } catch (error) {
      // Without a process there is no grant.
      if (isUnreachable(error)) return false;
      throw error;
    }
  }

  egressReport({ attemptId, epoch }: { attemptId: string; epoch: number }): Promise<EgressReport> {
    return this.#call<EgressReport>('POST', '/egress', { attemptId, epoch });
  }

  async modelReport(owner: { attemptId: string; epoch: number }): Promise<ModelReport | null> {
    const { attemptId, epoch } = owner;
    try {
      const answer = await this.#call<unknown>('POST', '/model', { attemptId, epoch });
      return ModelReport.nullable().parse(answer);
    } catch (error) {
      if (isUnreachable(error)) return null;
      throw error;
    }
  }

  status(): Promise<ProxyStatus> {
    return this.#call<ProxyStatus>('GET', '/status');
  }

  async stop(): Promise<void> {
    await this.#call('POST', '/stop');
    const limit = Date.now() + STOP_TIMEOUT_MS;
    while ((await this.#find()) !== null) {
      if (Date.now() > limit) throw new Error('the model proxy does not end');
      await delay(20);
    }
  }

  async #findOrStart(): Promise<void> {
    let status = await this.#find();
    const port = status?.hostPort ?? (await rememberedPort(this.#dataFolder));
    if (status && status.controlVersion !== CONTROL_VERSION) {
      await this.stop();
      status = null;
    }
    if (!status) {
      const idle = this.#idleMinutes === undefined ? {} : { idleMinutes: this.#idleMinutes };
      const isUp = async (): Promise<boolean> => (await this.#find()) !== null;
      await startProxy(this.#dataFolder, isUp, { ...idle, port });
      status = await this.status();
    }
    this.#hostPort = status.hostPort;
    await rememberPort(this.#dataFolder, status.hostPort);
  }

  #find(): Promise<ProxyStatus | null> {
    return this.status().catch(() => null);
  }

  #call<T>(method: string, path: string, body?: unknown): Promise<T> {
    return callControl<T>(this.#socketPath, method, path, body);
  }
}

function isUnreachable(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ECONNRESET';
}

async function callControl<T>(
  socketPath: string,
  method: string,
  path: string,
  body: unknown,
): Promise<T> {
  const signal = AbortSignal.timeout(CALL_TIMEOUT_MS);
  const sent = body === undefined ? {} : { text: JSON.stringify(body) };
  try {
    const options = { socketPath, method, path, signal };
    const { status, text } = await requestText(options, { ...sent, maxBytes: MAX_ANSWER_BYTES });
    if (status < 300) return JSON.parse(text);
    throw new Error(`model proxy: ${method} ${path}: ${cutText(text, 500)}`);
  } catch (error) {
    if (signal.aborted) throw new Error('model proxy: no answer within 10 s', { cause: error });
    throw error;
  }
}
