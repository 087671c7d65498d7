import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { collectBytes } from '@switchyard/shared/bytes/collect-bytes';
import { answerMessage } from '@switchyard/shared/network/answer-message';
import { commandText } from '@switchyard/shared/text/command-text';
import { formatBytes } from '@switchyard/shared/text/units/format-bytes';
import { z } from 'zod';
import { retryAfterMs } from '@switchyard/shared/network/retry-after-ms';
import { readLocalSecret } from '../../src/platform/node/secrets/local-secret.ts';
import { isOfService, servedAt } from '../hold-data-folder.ts';
import { DEFAULT_HOST, DEFAULT_PORT } from '../options/serve-options.ts';
import { defaultDataDir } from '../serve-flags.ts';
import { CommandError } from './command-error.ts';
import { EXIT } from './exit.ts';
import { parseJson } from '@switchyard/shared/text/parse-json';

const REQUEST_TIMEOUT_MS = 30_000;
/** Longest delay that a command accepts from the service's `Retry-After`. */
export const MAX_RETRY_AFTER_MS = 65_000;
/**
 * Tries of a request that the service refuses with 429; before each retry the client waits for the
 * time in its `Retry-After`.
 */
const MAX_TRIES = 3;
const ErrorBody = z.object({
  error: z.string(),
  details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

export type ServiceFlags = {
  url?: string;
  host?: string;
  port?: number;
  /** Data folder of a service on this machine. */
  dataDir?: string;
  json?: boolean;
};

/**
 * Address of the service: from `--url`, otherwise from the variable, otherwise from `--host` and
 * `--port`; null when none is set.
 */
function namedUrl(flags: ServiceFlags, env: NodeJS.ProcessEnv): string | null {
  const given = flags.url ?? env['SWITCHYARD_URL'];
  if (given === undefined || given === '') {
    return flags.host === undefined && flags.port === undefined ? null : localUrl(flags);
  }
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol)) {
    throw new CommandError(`${given} is not an http or https address`, EXIT.usage);
  }
  return given.replace(/\/+$/, '');
}

function localUrl({ host = DEFAULT_HOST, port = DEFAULT_PORT }: ServiceFlags): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Whether an address is on this machine: the local secret is sent to no other. */
function isOnThisMachine(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

function dataDirOf(flags: ServiceFlags, env: NodeJS.ProcessEnv): string {
  return resolve(flags.dataDir ?? defaultDataDir(env));
}

function tokenFor(url: string, flags: ServiceFlags, env: NodeJS.ProcessEnv): string | null {
  const given = [env['SWITCHYARD_TOKEN'], env['SERVICE_WRITE_TOKEN']];
  const token = given.find((text) => text !== undefined && text !== '');
  if (token !== undefined) return token;
  return isOnThisMachine(url) ? readLocalSecret(dataDirOf(flags, env)) : null;
}

/**
 * An API client for a service. The token comes from `SWITCHYARD_TOKEN` or `SERVICE_WRITE_TOKEN`,
 * never from an argument that other users of the machine could read; without one, the local secret
 * of the data folder is sent to a service on this machine. The default address is that of the
 * process that holds the data folder.
 */
export class ServiceClient {
  readonly url: string;
  /**
   * Origin of the address. `holder`: the process that holds the data folder. `nobody`: no process
   * serves that folder, so that whoever responds has another one.
   */
  readonly isOf: 'named' | 'holder' | 'nobody' | 'unknown';
  /**
   * The data folder belongs to a service that does not run: whoever responds at the address gets no
   * secret, and no request except the health check of `answers`.
   */
  readonly isForeign: boolean;
  readonly #token: string | null;
  readonly #dataDir: string;

  constructor(flags: ServiceFlags, env: NodeJS.ProcessEnv) {
    const named = namedUrl(flags, env);
    const served = named === null ? servedAt(dataDirOf(flags, env)) : undefined;
    this.url = named ?? served ?? localUrl({});
    if (named !== null) this.isOf = 'named';
    else if (served === undefined) this.isOf = 'unknown';
    else this.isOf = served === null ? 'nobody' : 'holder';
    this.#dataDir = dataDirOf(flags, env);
    this.isForeign = this.isOf === 'nobody' && isOfService(this.#dataDir);
    this.#token = tokenFor(this.url, flags, env);
  }

  /**
   * Sends a request. Throws a `CommandError` with the service's own message when it refuses or does
   * not respond. A 429 is retried after the delay that the service names, since it had no effect.
   */
  async ask<T>(method: string, path: string, options: AskOptions = {}): Promise<T> {
    const response = await this.#succeed(`/api/v1${path}`, { method, ...options });
    const text = await response.text();
    return (text === '' ? null : JSON.parse(text)) as T;
  }

  /**
   * Requests a path of the service and returns the response's bytes; throws as `ask` does, and when
   * there are more than `maxBytes`.
   */
  async bytes(path: string, maxBytes: number): Promise<Uint8Array> {
    if (!path.startsWith('/')) throw new CommandError('the service names no path', EXIT.failed);
    const response = await this.#succeed(path, { method: 'GET' });
    const { bytes, isWhole } = await collectBytes(response.body, maxBytes);
    if (isWhole) return bytes;
    throw new CommandError(`it is larger than ${formatBytes(maxBytes)}`, EXIT.failed);
  }

  async #succeed(path: string, asked: AskOptions & { method: string }): Promise<Response> {
    const { method, body, timeoutMs = REQUEST_TIMEOUT_MS } = asked;
    for (let tries = 1; ; tries += 1) {
      const response = await this.fetch(path, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      if (response.ok) return response;
      const text = await response.text();
      const header = response.headers.get('retry-after');
      const waitMs = retryAfterMs(header, Date.now(), MAX_RETRY_AFTER_MS);
      if (response.status !== 429 || waitMs === null || tries === MAX_TRIES)
        throw refusal(response.status, text);
      await delay(waitMs);
    }
  }

  /** Whether the program at the address is a control plane. */
  async answers(): Promise<boolean> {
    try {
      const response = await this.#send('/healthz', { signal: AbortSignal.timeout(3_000) });
      return z.object({ status: z.literal('ok') }).safeParse(parseJson(await response.text()))
        .success;
    } catch (error) {
      if (error instanceof CommandError) return false;
      throw error;
    }
  }

  /**
   * The raw response, for streams. Throws a `CommandError` when there is no connection, and for a
   * service of another data folder.
   */
  async fetch(path: string, init: RequestInit): Promise<Response> {
    if (!this.isForeign) return this.#send(path, init);
    throw new CommandError(
      `no service runs on the data folder ${this.#dataDir}: start it with "${commandText('start', process.env)}", or name another service with --url, --port or --data-dir`,
      EXIT.failed,
    );
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('X-Service-Source', 'CLI');
    if (init.body !== undefined) headers.set('Content-Type', 'application/json');
    if (this.#token !== null && !this.isForeign)
      headers.set('Authorization', `Bearer ${this.#token}`);
    try {
      return await fetch(`${this.url}${path}`, { ...init, headers });
    } catch (error) {
      if (init.signal?.aborted === true && init.signal.reason?.name === 'AbortError') throw error;
      throw new CommandError(
        `no service answers at ${this.url}: start it with "${commandText('start', process.env)}", or name another with --url`,
        EXIT.failed,
        { cause: error },
      );
    }
  }
}

type AskOptions = { body?: unknown; timeoutMs?: number };

function refusal(status: number, text: string): CommandError {
  const parsed = ErrorBody.safeParse(parseJson(text));
  // The response comes from a proxy or something else in front of the service.
  if (!parsed.success) return new CommandError(answerMessage(status), EXIT.failed);
  const { error, details = [] } = parsed.data;
  const more = details.map(({ path, message }) => `\n  ${path}: ${message}`).join('');
  const hint =
    status === 401 || status === 403
      ? '\n  set SWITCHYARD_TOKEN to a token that may do this; for a service on this machine, name its data folder with --data-dir'
      : '';
  return new CommandError(`${error}${more}${hint}`, EXIT.failed);
}
