/** What stops an attack that runs inside a container, and the event by which people see it. */
export type Defence = { stoppedBy: string; event: string; sign: string };

const lock = (stoppedBy: string, sign: string): Defence => ({
  stoppedBy,
  event: 'isolation',
  sign,
});
const proxy = (stoppedBy: string, sign: string): Defence => ({
  stoppedBy,
  event: 'egress_refused',
  sign,
});

const NO_NETWORK = '"network":"none"';
const NO_CAPABILITIES = '"capabilities":"none"';
const SECCOMP = '"seccomp":true';
/** Three mounts of one folder each, and the access folder. */
const MOUNTS = '"mounts":4';

/** Attacks of inside/attack.mjs by name, in the order in which they are made. */
export function catalogue(world: {
  target: string;
  other: string;
  metadata: string;
}): Record<string, Defence> {
  const at = (host: string, port: number): string => `"host":"${host}","port":${port},"requests":`;
  return {
    files: lock('no mount but its own', MOUNTS),
    environment: lock('a clean environment', MOUNTS),
    processes: lock('a process table of its own', SECCOMP),
    'command lines': lock('a process table of its own', SECCOMP),
    'first process': lock('a first process that cannot be traced', '"noNewPrivileges":true'),
    'spoofed engine output': lock('an engine that cannot be looked into', '"noNewPrivileges":true'),
    'docker socket': lock('no mount but its own', MOUNTS),
    'other workspace': lock('no mount but its own', MOUNTS),
    'symbolic link': lock('no mount but its own', MOUNTS),
    'hard link': lock('mounts of their own', MOUNTS),
    'mirror objects': lock('a read-only mount', MOUNTS),
    'git credentials': lock('no credential in .git/config', MOUNTS),
    deadline: lock('a read-only mount', MOUNTS),
    'root file system': lock('a read-only root', '"readOnlyRoot":true'),
    'temporary space': lock('a sized tmpfs', '"memoryBytes":'),
    'become root': lock('no capabilities', NO_CAPABILITIES),
    'user namespace': lock('the system call filter', SECCOMP),
    mount: lock('no capabilities', NO_CAPABILITIES),
    'change owner': lock('no capabilities', NO_CAPABILITIES),
    device: lock('no capabilities', NO_CAPABILITIES),
    'kernel settings': lock('read-only kernel settings', '"noNewPrivileges":true'),
    'metadata, direct': lock('no network', NO_NETWORK),
    'address, direct': lock('no network', NO_NETWORK),
    'address over IPv6': lock('no network', NO_NETWORK),
    'host service': lock('no network', NO_NETWORK),
    'control plane, direct': lock('no network', NO_NETWORK),
    'DNS tunnel, direct': lock('no network', NO_NETWORK),
    'DNS tunnel, resolver': lock('no network', NO_NETWORK),
    'push to another repository': lock('no mount but its own', MOUNTS),
    'metadata, through the proxy': proxy('the list of hosts', at(world.metadata, 80)),
    'metadata, by a tunnel': proxy('the list of hosts', at(world.metadata, 80)),
    'address in another spelling': proxy('the list of hosts', at(world.metadata, 80)),
    'host that is not listed': proxy('the list of hosts', at(world.other, 80)),
    'tunnel to a host that is not listed': proxy('the list of hosts', at(world.other, 80)),
    'refused port of a listed host': proxy('the list of ports', at(world.target, 22)),
    'redirect to a refused host': proxy('the list of hosts', at(world.other, 80)),
    'listed name with a private address': proxy('the address check', '"reason":"private_address"'),
    'control plane, through the proxy': proxy('the list of hosts', '"host":"127.0.0.1"'),
    'control plane, by a tunnel': proxy('the list of hosts', '"host":"127.0.0.1"'),
    'more bytes than allowed': proxy('the byte limit', '"reason":"byte_limit"'),
    'memory bomb': { stoppedBy: 'the memory limit', event: 'notice', sign: 'memory limit' },
    'fork bomb': lock('the process limit', '"pids":'),
  };
}
