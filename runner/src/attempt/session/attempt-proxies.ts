import { createHash, createHmac } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LEASE_GUARD_MS } from '@switchyard/shared/protocol/limits';
import { type LeaseRef, leaseKey } from '../../connection/lease-ref.ts';
import type { Isolation } from '@switchyard/shared/sandbox/isolation';
import type { ContainerEngine, ProxyAccess } from '../../container/container-engine.ts';
import { pinnedEngine } from '../../container/switching-engine.ts';
import { type GrantRequest, hashToken } from '../../egress/grant.ts';
import type { ModelReport } from '../../egress/model/model-report.ts';
import type { EgressReport } from '../../egress/policy/egress-log.ts';
import type { EgressPolicy } from '../../egress/policy/egress-policy.ts';
import { type Registries, readRegistries } from '../../egress/policy/read-registries.ts';
import { egressEnvironment, resolvePolicy } from '../../egress/policy/resolve-policy.ts';
import { type ModelProxy as ProxyProcess, ensureProxy } from '../../egress/ensure-proxy.ts';
import { accessRoot } from '../mounts/access-root.ts';
import type { ModelProxy, ProxyGrant, WorldAccess } from '../attempt-deps.ts';

/** Access is valid after the lease only as long as the control plane may rely on it. */
const GRANT_SLACK_MS = LEASE_GUARD_MS;
/** The path of a unix socket has at most about 100 bytes. */
const MAX_FOLDER_BYTES = 88;
/**
 * The runner stops a container shortly before its dead-man's switch does: 3 s of a lease of 90 s.
 */
const DEADMAN_SLACK = 0.04;

const NO_REGISTRIES: Registries = { hosts: [], npm: undefined, pip: undefined };

/**
 * Access at the proxy process and dead-man's switches beside the engines, both renewed with the
 * lease.
 */
export class AttemptProxies implements ModelProxy {
  readonly #dataDir: string;
  readonly #tokenSecret: Uint8Array;
  readonly #containers: ContainerEngine;
  readonly #privateHosts: readonly string[];
  #registries: Promise<Registries> | null = null;
  readonly #grants = new Map<string, GrantRequest>();
  readonly #folders = new Set<string>();
  #process: ProxyProcess | null = null;
  /** End of the lease on this process's own clock, milliseconds. */
  #leaseEndMs = 0;
  #counter = 0;

  constructor(options: {
    dataDir: string;
    /** Secret from which tokens are derived, so that a later process of this runner knows them. */
    tokenSecret: Uint8Array;
    containers: ContainerEngine;
    /** Private hosts that the operator allows. */
    privateHosts?: readonly string[];
  }) {
    this.#dataDir = options.dataDir;
    this.#tokenSecret = options.tokenSecret;
    this.#containers = options.containers;
    this.#privateHosts = options.privateHosts ?? [];
    if (options.containers.isolation === 'docker') void this.#registriesOf('docker');
  }

  /** Plain processes have direct network access, so registries need no configuration. */
  #registriesOf(isolation: Isolation): Promise<Registries> {
    if (isolation !== 'docker') return Promise.resolve(NO_REGISTRIES);
    return (this.#registries ??= readRegistries());
  }

  /** Starts the proxy or connects to the one that a former process of this runner left. */
  async start(): Promise<void> {
    this.#process ??= await ensureProxy(this.#dataDir);
  }

  /** Ends the proxy's process; only when no attempt is left. */
  async stopProcess(): Promise<void> {
    await this.#process?.stop();
  }

  async grant(request: Parameters<ModelProxy['grant']>[0]): Promise<ProxyGrant> {
    const { ref } = request;
    const containers = pinnedEngine(this.#containers, request.isolation);
    const { isolation } = containers;
    const token = this.#tokenOf(ref);
    const tokenHash = hashToken(token);
    await this.adopt({ ...request, isolation, tokenHash });
    return { token, tokenHash, ...(await this.#wayOut(ref, containers, request.world)) };
  }

  async granted(request: Parameters<NonNullable<ModelProxy['granted']>>[0]) {
    const { ref, tokenHash } = request;
    const token = this.#tokenOf(ref);
    if (hashToken(token) !== tokenHash) return null;
    await this.start();
    const containers = pinnedEngine(this.#containers, request.isolation);
    return { token, ...(await this.#wayOut(ref, containers, request.world)) };
  }

  async #wayOut(ref: LeaseRef, containers: ContainerEngine, world: WorldAccess | undefined) {
    const access = this.#accessOf(ref);
    const policy = await this.#policyOf(world, containers.isolation);
    const registries = await this.#registriesOf(containers.isolation);
    const env = policy === null ? {} : egressEnvironment(policy, registries);
    return { access, env, baseUrl: `${containers.proxyOrigin(access)}/v1` };
  }

  async adopt(request: Parameters<ModelProxy['adopt']>[0]): Promise<void> {
    const { ref, providerBaseUrl, wireApi, apiKey, tokenHash } = request;
    const { isolation } = pinnedEngine(this.#containers, request.isolation);
    const folder = this.#folderOf(ref);
    await mkdir(folder, { recursive: true, mode: 0o755 });
    this.#folders.add(folder);
    await this.#writeDeadline(folder);
    await this.start();
    const wanted: GrantRequest = {
      attemptId: ref.attemptId,
      epoch: ref.epoch,
      tokenHash,
      upstreamBaseUrl: providerBaseUrl,
      wireApi,
      apiKey,
      expiresAtMs: this.#expiresAtMs(),
      socketFolder: isolation === 'docker' ? folder : null,
      egress: await this.#policyOf(request.world, isolation),
      secretValues: { ...request.secretValues },
    };
    await this.#process?.grant(wanted);
    this.#grants.set(leaseKey(ref), wanted);
  }

  async report(ref: LeaseRef): Promise<EgressReport> {
    if (!this.#grants.get(leaseKey(ref))?.egress) return { entries: [], others: 0 };
    return (await this.#process?.egressReport(ref)) ?? { entries: [], others: 0 };
  }

  async modelReport({ attemptId, epoch }: LeaseRef): Promise<ModelReport | null> {
    return (await this.#process?.modelReport({ attemptId, epoch })) ?? null;
  }

  async revoke(ref: LeaseRef): Promise<void> {
    this.#grants.delete(leaseKey(ref));
    const folder = this.#folderOf(ref);
    this.#folders.delete(folder);
    await this.#process?.revoke({ attemptId: ref.attemptId, epoch: ref.epoch });
    await rm(folder, { recursive: true, force: true });
  }

  /** The lease was renewed: extends access and dead-man's switches. */
  async leaseRenewed(remainingMs: number): Promise<void> {
    this.#leaseEndMs = performance.now() + remainingMs;
    const expiresAtMs = this.#expiresAtMs();
    // If the proxy died, the first of these renewals restarts it, and all grants are restored.
    const renewals = [...this.#grants].map(async ([key, request]) => {
      await this.#process?.grant({ ...request, expiresAtMs });
      if (!this.#grants.has(key)) await this.#process?.revoke(request);
    });
    await Promise.all([
      ...renewals,
      ...[...this.#folders].map((folder) => this.#writeDeadline(folder)),
    ]);
  }

  /** Tokens are not stored but derived again. */
  #tokenOf(ref: LeaseRef): string {
    const made = createHmac('sha256', this.#tokenSecret).update(leaseKey(ref));
    return `sw_${made.digest('base64url')}`;
  }

  #accessOf(ref: LeaseRef): ProxyAccess {
    return { socketFolder: this.#folderOf(ref), hostPort: this.#process?.hostPort ?? 0 };
  }

  async #policyOf(
    world: WorldAccess | undefined,
    isolation: Isolation,
  ): Promise<EgressPolicy | null> {
    if (world === undefined || isolation !== 'docker') return null;
    const { egress, repositoryUrl, secrets } = world;
    const registries = await this.#registriesOf(isolation);
    const given = { registries, privateHosts: this.#privateHosts, repositoryUrl, secrets };
    return resolvePolicy(egress, given);
  }

  #expiresAtMs(): number {
    return Math.round(Date.now() + this.#remainingMs() + GRANT_SLACK_MS);
  }

  #remainingMs(): number {
    return Math.max(0, Math.round(this.#leaseEndMs - performance.now()));
  }

  async #writeDeadline(folder: string): Promise<void> {
    this.#counter = Math.max(this.#counter + 1, Date.now());
    const remainingMs = Math.round(this.#remainingMs() * (1 + DEADMAN_SLACK));
    const draft = join(folder, `.deadline.${this.#counter}`);
    try {
      await writeFile(draft, `${this.#counter} ${remainingMs}\n`, { mode: 0o644 });
      await rename(draft, join(folder, 'deadline'));
    } catch (error) {
      // The folder is removed with its attempt, which may happen concurrently.
      if (this.#folders.has(folder)) throw error;
    }
  }

  /**
   * A short folder for each lease; below the data folder unless that path is too long for a socket.
   */
  #folderOf(ref: LeaseRef): string {
    const short = createHash('sha256').update(leaseKey(ref)).digest('hex').slice(0, 16);
    const own = join(this.#dataDir, 'access', short);
    if (Buffer.byteLength(own) <= MAX_FOLDER_BYTES) return own;
    return join(accessRoot(this.#dataDir), short);
  }
}
