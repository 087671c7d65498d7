import type Docker from 'dockerode';
import { type Mount, type ProxyAccess, type Resources, SHIM_PORT } from '../container-engine.ts';

export const SHIM_PATH = '/usr/local/bin/switchyard-shim';
/** Where an attempt's proxy socket and deadline file appear inside, read-only. */
const ACCESS_FOLDER = '/run/switchyard';
/** Name under which Docker Desktop lets a container reach its host. */
const HOST_ALIAS = 'host.docker.internal';

/** More output of an engine than this ends it: the daemon keeps that output on the host's disk. */
const OUTPUT_LIMIT_BYTES = 2 * 1024 ** 3;
/** Ends the shim before its command starts when the container has any network. */
const PROBE = ['--probe', 'closed'];

/** A sandbox has no use for more; it counts against the container's memory. */
const SHARED_MEMORY_BYTES = 64 * 1024 * 1024;

/**
 * `socket`: no network at all, the proxy is a unix socket on a mount. `host-alias`: Docker Desktop
 * cannot pass unix sockets into its virtual machine, so the container has a network there.
 */
export type ProxyReach = 'socket' | 'host-alias';

/** Limits and locks that every container of an attempt gets, commands included. */
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
    // Equal to Memory: no swap on top of it.
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
 * The log is the engine's standard output until the runner has stored it. Every option that a
 * daemon's defaults could set is set here, so that no rotation and no lossy mode can apply.
 */
export const durableLog: Docker.HostConfig['LogConfig'] = {
  Type: 'json-file',
  Config: { 'max-size': '1000g', 'max-file': '1', compress: 'false', mode: 'blocking' },
};

/** The shim's own words in front of an engine's argv. */
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

/** The same for a command: with a way out only where it was given one. */
export function commandArguments(proxy: ProxyAccess | undefined): string[] {
  const target = `unix:${ACCESS_FOLDER}/proxy.sock`;
  const way = ['--listen', `127.0.0.1:${SHIM_PORT}`, '--connect', target];
  return [...(proxy === undefined ? [] : way), ...PROBE, '--'];
}

/** Where a container finds its way out and its deadline. */
export function accessMount(proxy: ProxyAccess): Mount {
  return { hostPath: proxy.socketFolder, containerPath: ACCESS_FOLDER, readOnly: true };
}

/** `KEY=value` words for Docker; refuses names that would not arrive as given. */
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
