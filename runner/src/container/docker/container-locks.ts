import { MAX_RUNTIMES } from '@switchyard/shared/sandbox/isolation-level';
import type { IsolationLevel, IsolationLevels } from '@switchyard/shared/sandbox/isolation-level';
import type Docker from 'dockerode';
import type { Locks } from '../container-engine.ts';
import { dockerCall } from './daemon/docker-call.ts';
import type { ProxyReach } from './hardened-host-config.ts';

type DaemonFacts = {
  Runtimes?: Readonly<Record<string, unknown>>;
  DefaultRuntime?: string;
  SecurityOptions?: readonly string[];
} | null;

/** Runtimes whose containers have a kernel of their own. */
const OWN_KERNEL = /^(runsc|gvisor|kata|io\.containerd\.(runsc|kata))/;

/** Isolation level of a container on this daemon; null when the daemon has no such runtime. */
export function levelOfRuntime(
  daemon: DaemonFacts,
  runtime: string | null,
  reach: ProxyReach,
): IsolationLevel | null {
  if (runtime !== null && daemon?.Runtimes?.[runtime] === undefined) return null;
  return levelOf({
    runtime: runtime ?? daemon?.DefaultRuntime ?? '',
    closed: reach === 'socket',
    filtered: filtersSystemCalls(daemon),
  });
}

/** Isolation levels by default and with every runtime of the daemon. */
export function levelsOfRuntimes(
  daemon: DaemonFacts,
  runtime: string | null,
  reach: ProxyReach,
): IsolationLevels {
  const names = Object.keys(daemon?.Runtimes ?? {}).filter((name) => name.length <= 100);
  const level = (name: string | null) => levelOfRuntime(daemon, name, reach) ?? 'open_container';
  return {
    default: level(runtime),
    runtimes: Object.fromEntries(names.slice(0, MAX_RUNTIMES).map((name) => [name, level(name)])),
  };
}

function levelOf(facts: { runtime: string; closed: boolean; filtered: boolean }): IsolationLevel {
  if (!facts.closed) return 'open_container';
  if (OWN_KERNEL.test(facts.runtime)) return 'kernel';
  return facts.filtered ? 'container' : 'open_container';
}

function filtersSystemCalls(daemon: DaemonFacts): boolean {
  return (daemon?.SecurityOptions ?? []).some((option) => option.startsWith('name=seccomp'));
}

/** The restrictions that the daemon reports for a container, not the requested ones. */
export async function containerLocks(
  docker: Docker,
  containerId: string,
  daemon: DaemonFacts,
): Promise<Locks> {
  const found = await dockerCall('inspect container', () =>
    docker.getContainer(containerId).inspect(),
  );
  const { HostConfig: host, Config: config } = found;
  const options: readonly string[] = host.SecurityOpt ?? [];
  const network = host.NetworkMode ?? 'default';
  const seccomp = filtersSystemCalls(daemon) && !options.includes('seccomp=unconfined');
  const runtime = host.Runtime ?? daemon?.DefaultRuntime ?? '';
  const locked =
    host.Privileged !== true &&
    host.ReadonlyRootfs === true &&
    (host.CapDrop ?? []).includes('ALL') &&
    (host.CapAdd ?? []).length === 0 &&
    options.includes('no-new-privileges');
  const closed = network === 'none' && locked;
  return {
    level: levelOf({ runtime, closed, filtered: seccomp }),
    network,
    runtime,
    image: config.Image,
    user: config.User ?? '',
    userNamespace: (daemon?.SecurityOptions ?? []).some((option) =>
      option.startsWith('name=userns'),
    ),
    seccomp,
    capabilities: (host.CapDrop ?? []).includes('ALL') ? 'none' : 'default',
    noNewPrivileges: options.includes('no-new-privileges'),
    readOnlyRoot: host.ReadonlyRootfs === true,
    memoryBytes: host.Memory ?? 0,
    cpus: (host.NanoCpus ?? 0) / 1e9,
    pids: host.PidsLimit ?? 0,
    mounts: (host.Mounts ?? []).length,
  };
}
