import type Docker from 'dockerode';
import { type Mount, type ProxyAccess, type Resources, SHIM_PORT } from '../container-engine.ts';

export const SHIM_PATH = '/usr/local/bin/switchyard-shim';
/** Mount point of an attempt's proxy socket and deadline file, read-only. */
const ACCESS_FOLDER = '/run/switchyard';
/** Name by which containers reach the host in Docker Desktop. */
const HOST_ALIAS = 'host.docker.internal';

/** An engine with more output is ended, because the daemon stores it on the host's disk. */
const OUTPUT_LIMIT_BYTES = 2 * 1024 ** 3;
/** Makes the shim exit before its command starts if the container has any network. */
const PROBE = ['--probe', 'closed'];

/** A sandbox needs no more; it counts against the container's memory. */
const SHARED_MEMORY_BYTES = 64 * 1024 * 1024;

/**
 * `socket`: no network at all, the proxy is a unix socket on a mount. `host-alias`: Docker Desktop
 * cannot pass unix sockets into its virtual machine, so the container gets a network there.
 */
export type ProxyReach = 'socket' | 'host-alias';

/** Limits and restrictions of every container of an attempt, including commands. */
export function hardenedHostConfig(options: {
  mounts: readonly Mount[];
  resources: Resources;
  network: 'none' | 'bridge';
  runtime: string | null;
}): Docker.HostConfig {
  const { memoryBytes, cpus, pids, tmpfsBytes } = options.resources;
  return {
    NetworkMode: options.network,
    ...(options.network === 'bridge' ? { ExtraHosts: [`${HOST_ALIAS}:host-gateway`] } : {}),
    ...(options.runtime === null ? {} : { Runtime: options.runtime }),
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
    Privileged: false,
    ReadonlyRootfs: true,
    Memory: memoryBytes,
    // Equal to Memory: no additional swap.
    MemorySwap: memoryBytes,
    NanoCpus: Math.round(cpus * 1e9),
    PidsLimit: pids,
    ShmSize: Math.min(SHARED_MEMORY_BYTES, tmpfsBytes),
    Tmpfs: { '/tmp': `rw,exec,nosuid,nodev,mode=1777,size=${tmpfsBytes}` },
    Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],
    Mounts: options.mounts.map(bindMount),
    IpcMode: 'private',
    Init: false,
    AutoRemove: false,
    RestartPolicy: { Name: 'no' },
  };
}

/**
 * The log is the engine's standard output until the runner has stored it. All options are set
 * explicitly, so that no default of the daemon causes rotation or loss.
 */
export const durableLog: Docker.HostConfig['LogConfig'] = {
  Type: 'json-file',
  Config: { 'max-size': '1000g', 'max-file': '1', compress: 'false', mode: 'blocking' },
};

/** The shim's arguments before an engine's argv. */
export function shimArguments(proxy: ProxyAccess, reach: ProxyReach): string[] {
  const target =
    reach === 'socket' ? `unix:${ACCESS_FOLDER}/proxy.sock` : `tcp:${HOST_ALIAS}:${proxy.hostPort}`;
  return [
    '--listen',
    `127.0.0.1:${SHIM_PORT}`,
    '--connect',
    target,
    '--deadline',
    `${ACCESS_FOLDER}/deadline`,
    '--frame-stdout',
    'yes',
    '--output-limit',
    String(OUTPUT_LIMIT_BYTES),
    ...(reach === 'socket' ? PROBE : []),
    '--',
  ];
}

/** The shim's arguments for a command, with network access only if it was granted. */
export function commandArguments(proxy: ProxyAccess | undefined): string[] {
  const target = `unix:${ACCESS_FOLDER}/proxy.sock`;
  const way = ['--listen', `127.0.0.1:${SHIM_PORT}`, '--connect', target];
  return [...(proxy === undefined ? [] : way), ...PROBE, '--'];
}

/** The mount with a container's proxy socket and deadline. */
export function accessMount(proxy: ProxyAccess): Mount {
  return { hostPath: proxy.socketFolder, containerPath: ACCESS_FOLDER, readOnly: true };
}

/** Environment as `KEY=value` words for Docker; throws on names that would be altered. */
export function environmentList(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).map(([name, value]) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw new Error(`bad environment name ${JSON.stringify(name)}`);
    return `${name}=${value}`;
  });
}

function bindMount(mount: Mount): Docker.MountConfig[number] {
  return {
    Type: 'bind',
    Source: mount.hostPath,
    Target: mount.containerPath,
    ReadOnly: mount.readOnly,
    BindOptions: { Propagation: 'rprivate' },
  };
}
