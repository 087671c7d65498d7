import { createHash, randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LeaseRef } from '../connection/lease-ref.ts';
import { leaseKey } from '../connection/lease-ref.ts';
import type { Log } from '../connection/log.ts';
import { messageOf } from '../connection/log.ts';
import type { ContainerEngine, ProxyAccess } from '../container/container-engine.ts';
import { hashToken } from '../egress/grant.ts';
import type { GrantRequest } from '../egress/grant.ts';
import { ensureProxy } from '../egress/proxy-client.ts';
import type { ModelProxy as ProxyProcess } from '../egress/proxy-client.ts';
import type { ModelProxy, ProxyGrant } from './attempt-deps.ts';

/** A grant ends with its attempt; this only bounds what a lost runner leaves behind. */
const GRANT_MS = 24 * 3_600_000;
/** A unix socket's path has room for about 100 bytes. */
const MAX_FOLDER_BYTES = 88;
/** Time for the runner to stop a container itself before its dead-man does. */
const DEADMAN_SLACK_MS = 3_000;
const CHECK_MS = 5_000;

/** Grants at the proxy process, repeated when it had to be started again. */
export class AttemptProxies implements ModelProxy {
  readonly #dataDir: string;
  readonly #containers: ContainerEngine;
  readonly #log: Log;
  readonly #grants = new Map<string, GrantRequest>();
  readonly #folders = new Set<string>();
  #process: ProxyProcess | null = null;
  #remainingMs = 0;
  #counter = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: { dataDir: string; containers: ContainerEngine; log: Log }) {
    this.#dataDir = options.dataDir;
    this.#containers = options.containers;
    this.#log = options.log;
  }

  /** Starts or finds the proxy and looks after it until `stopWatching`. */
  async start(): Promise<void> {
    await this.#ensure();
    this.#timer = setInterval(() => {
      this.#check().catch((error: unknown) => this.#log.error('no model proxy', { error: messageOf(error) }));
    }, CHECK_MS);
    this.#timer.unref();
  }

  /** The process stays: attempts that go on without this runner still need it. */
  stopWatching(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  /** Ends the proxy's process; only when no attempt is left. */
  async stopProcess(): Promise<void> {
    this.stopWatching();
    await this.#process?.stop();
  }

  async grant(request: Parameters<ModelProxy['grant']>[0]): Promise<ProxyGrant> {
    const { ref, providerBaseUrl, apiKey } = request;
    const token = `sw_${randomBytes(24).toString('base64url')}`;
    const folder = this.#folderOf(ref);
    await mkdir(folder, { recursive: true, mode: 0o755 });
    const sockets = this.#containers.isolation === 'docker';
    const wanted: GrantRequest = {
      ...ref,
      tokenHash: hashToken(token),
      upstreamBaseUrl: providerBaseUrl,
      apiKey,
      expiresAtMs: Date.now() + GRANT_MS,
      socketFolder: sockets ? folder : null,
    };
    this.#folders.add(folder);
    await this.#writeDeadline(folder);
    const proxy = await this.#ensure();
    await proxy.grant(wanted);
    this.#grants.set(leaseKey(ref), wanted);
    const access: ProxyAccess = { socketFolder: folder, hostPort: proxy.hostPort };
    return { token, access, baseUrl: `${this.#containers.proxyOrigin(access)}/v1` };
  }

  async revoke(ref: LeaseRef): Promise<void> {
    this.#grants.delete(leaseKey(ref));
    const folder = this.#folderOf(ref);
    this.#folders.delete(folder);
    await this.#process?.revoke({ attemptId: ref.attemptId, epoch: ref.epoch });
    await rm(folder, { recursive: true, force: true });
  }

  /** An attempt of a former process goes on: its dead-man waits for our renewals. */
  adopted(ref: LeaseRef): void {
    this.#folders.add(this.#folderOf(ref));
  }

  /** The lease was renewed: the dead-men beside the containers may wait that much longer. */
  async leaseRenewed(remainingMs: number): Promise<void> {
    this.#remainingMs = remainingMs;
    await Promise.all([...this.#folders].map((folder) => this.#writeDeadline(folder)));
  }

  async #writeDeadline(folder: string): Promise<void> {
    this.#counter = Math.max(this.#counter + 1, Date.now());
    const remainingMs = Math.max(0, Math.round(this.#remainingMs + DEADMAN_SLACK_MS));
    const draft = join(folder, `.deadline.${this.#counter}`);
    try {
      await writeFile(draft, `${this.#counter} ${remainingMs}\n`, { mode: 0o644 });
      await rename(draft, join(folder, 'deadline'));
    } catch (error) {
      // The folder goes with its attempt, which may end at this very moment.
      if (this.#folders.has(folder)) throw error;
    }
  }

  async #ensure(): Promise<ProxyProcess> {
    this.#process ??= await ensureProxy(this.#dataDir);
    return this.#process;
  }

  async #check(): Promise<void> {
    const known = this.#process;
    if (known === null) return;
    try {
      await known.status();
      return;
    } catch (error) {
      this.#log.error('the model proxy is gone; starting it again', { error: messageOf(error) });
    }
    const again = await ensureProxy(this.#dataDir);
    this.#process = again;
    for (const request of this.#grants.values()) await again.grant(request);
  }

  /** Short and per lease; below the data folder unless its path is too long for a socket. */
  #folderOf(ref: LeaseRef): string {
    const short = createHash('sha256').update(leaseKey(ref)).digest('hex').slice(0, 16);
    const own = join(this.#dataDir, 'access', short);
    if (Buffer.byteLength(own) <= MAX_FOLDER_BYTES) return own;
    const root = createHash('sha256').update(this.#dataDir).digest('hex').slice(0, 12);
    return join(tmpdir(), `switchyard-${root}`, short);
  }
}
