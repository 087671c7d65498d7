import type { ModelProxy } from '../../../runner/src/attempt/attempt-deps.ts';
import { type LeaseRef, leaseKey } from '../../../runner/src/connection/lease-ref.ts';
import type { SimDocker } from './sim-docker.ts';

/** The runner stops a container itself before its dead-man does; as the product's. */
const DEADMAN_SLACK = 0.04;

/** Model access without a proxy: only the deadline files that the dead-men read. */
export class SimProxies implements ModelProxy {
  readonly #docker: SimDocker;
  readonly #folders = new Set<string>();
  #remainingMs = 0;

  constructor(docker: SimDocker) {
    this.#docker = docker;
  }

  async grant(request: Parameters<ModelProxy['grant']>[0]) {
    await this.adopt(request);
    const access = { socketFolder: '/sim', hostPort: 9 };
    return { token: 'proxy', tokenHash: 'hash', access, baseUrl: 'http://127.0.0.1:9/v1' };
  }

  async adopt({ ref }: { ref: LeaseRef }): Promise<void> {
    this.#folders.add(leaseKey(ref));
    this.#write(leaseKey(ref));
  }

  async revoke(ref: LeaseRef): Promise<void> {
    this.#folders.delete(leaseKey(ref));
    this.#docker.dropDeadline(leaseKey(ref));
  }

  leaseRenewed(remainingMs: number): void {
    this.#remainingMs = remainingMs;
    for (const key of this.#folders) this.#write(key);
  }

  #write(key: string): void {
    this.#docker.writeDeadline(
      key,
      Math.max(0, Math.round(this.#remainingMs * (1 + DEADMAN_SLACK))),
    );
  }
}
