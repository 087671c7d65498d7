import { randomBytes, randomInt } from 'node:crypto';
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Docker from 'dockerode';
import { defaultSandboxImage } from '../../runner/src/container/docker/image/default-sandbox-image.ts';
import { until } from '../support/e2e/until.ts';

const CALL_TIMEOUT_MS = 60_000;
const LABEL = 'switchyard.redteam';
/** Where clouds have it. Ours listens in a network of its own, and this machine has no route to it. */
const METADATA = '169.254.169.254';

/** Everything that an attack could reach, made of containers and networks without a way out. */
export type World = {
  id: string;
  docker: Docker;
  folder: string;
  canary: string;
  target: string;
  target6: string;
  other: string;
  metadata: string;
  /** Whose network has the metadata service. */
  metadataContainer: string;
  gateway: string;
  /** Of a service of this host on the gateway's address. */
  gatewayPort: number;
  /** Of a service of this host on its loopback. */
  loopbackPort: number;
  /** Paths that those services were asked for. */
  heard: string[];
  /** One of them is in each firewall rule of its networks. */
  firewallWords: string[];
  /** The home of somebody who keeps keys in files, and their environment. */
  home: string;
  environment: Record<string, string>;
  /** Also removes what a runner left whose suite was cut off. */
  close(runnerId?: string): Promise<void>;
};

const plant = (name: string): string => `swyplant-${name}-${randomBytes(8).toString('hex')}`;

/** Keys where people have them: eight in files of a home folder, three in the environment. */
const PLANTED_FILES = [
  '.npmrc',
  '.netrc',
  '.git-credentials',
  '.aws/credentials',
  '.ssh/id_ed25519',
  '.docker/config.json',
  '.codex/auth.json',
  '.config/gh/hosts.yml',
];
const PLANTED_VARIABLES = ['AWS_SECRET_ACCESS_KEY', 'GITHUB_TOKEN', 'SERVICE_PLANTED'];

export async function makeWorld(): Promise<World> {
  const id = randomBytes(4).toString('hex');
  const docker = new Docker({ timeout: CALL_TIMEOUT_MS });
  const folder = await mkdtemp(join(tmpdir(), 'swy-redteam-'));
  await chmod(folder, 0o755);
  const canary = `canary-${randomBytes(8).toString('hex')}`;
  const close = async (runnerId = ''): Promise<void> => {
    await removeAll(docker, `${LABEL}=${id}`);
    if (runnerId !== '') await removeAll(docker, `switchyard.runner_id=${runnerId}`);
    for (const server of servers) server.close();
    shown?.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  const servers: Server[] = [];
  let shown: ChildProcess | null = null;
  try {
    const octet = randomInt(0, 15) * 16;
    const outside = `203.0.113.${octet}/28`;
    const beside = `198.51.100.${octet}`;
    const prefix = `fd00:5e7:${randomInt(1, 65_535).toString(16)}:`;
    const [target, other, gateway] = [4, 5, 1].map((one) => `203.0.113.${octet + one}`);
    const target6 = `${prefix}:4`;
    const out = [{ Subnet: outside }, { Subnet: `${prefix}:/64` }];
    const bridges = [
      await network(docker, id, 'out', out),
      await network(docker, id, 'meta', [{ Subnet: `${beside}/28` }]),
    ];
    const [at = '', elsewhere = '', host = ''] = [target, other, gateway];
    const heard: string[] = [];
    const [, , metadataContainer] = await Promise.all([
      listener(docker, id, {
        network: 'out',
        address: at,
        address6: target6,
        canary,
        redirectTo: `http://${elsewhere}/`,
      }),
      listener(docker, id, { network: 'out', address: elsewhere, canary, redirectTo: '' }),
      listener(docker, id, { network: 'meta', linkLocal: METADATA, canary, redirectTo: '' }),
    ]);
    const gatewayPort = await serve(servers, host, { canary, heard });
    const loopbackPort = await serve(servers, '127.0.0.1', { canary, heard });
    const home = join(folder, 'home');
    for (const name of PLANTED_FILES) {
      await mkdir(dirname(join(home, name)), { recursive: true });
      await writeFile(join(home, name), `# ${plant('file')}\n`);
    }
    // A key on a command line, as careless programs take it.
    shown = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 900000)', plant('argv')], {
      stdio: 'ignore',
    });
    const environment = Object.fromEntries(PLANTED_VARIABLES.map((name) => [name, plant('env')]));
    return {
      id,
      docker,
      folder,
      canary,
      target: at,
      target6,
      other: elsewhere,
      metadata: METADATA,
      metadataContainer,
      gateway: host,
      gatewayPort,
      loopbackPort,
      heard,
      home,
      environment,
      close,
      firewallWords: [...bridges, outside, `${beside}/28`, `${prefix}:`],
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Labels of everything that a world makes on the daemon. */
export const labelsOf = (id: string): Record<string, string> => ({ [LABEL]: id });

/** Answers the name of its bridge. */
async function network(
  docker: Docker,
  id: string,
  name: string,
  ranges: { Subnet: string }[],
): Promise<string> {
  // Internal: nothing in it has a route beyond this machine.
  const options = {
    Name: `swy-redteam-${id}-${name}`,
    Internal: true,
    EnableIPv6: ranges.length > 1,
    IPAM: { Driver: 'default', Config: ranges },
    Labels: labelsOf(id),
  };
  // Another run on the same daemon may have the range for a moment.
  const made = await until(
    () =>
      docker.createNetwork(options).then(
        ({ id: networkId }) => ({ networkId }),
        (error: unknown) => String(error),
      ),
    (answer) => typeof answer !== 'string' || !/overlap/i.test(answer),
    { what: `network ${name}`, timeoutMs: 120_000 },
  );
  if (typeof made === 'string') throw new Error(`network ${name}: ${made}`);
  return `br-${made.networkId.slice(0, 12)}`;
}

async function listener(
  docker: Docker,
  id: string,
  at: {
    network: string;
    address?: string;
    address6?: string;
    linkLocal?: string;
    canary: string;
    redirectTo: string;
  },
): Promise<string> {
  const script = await readFile(inside('target.mjs'), 'utf8');
  const container = await docker.createContainer({
    Image: defaultSandboxImage,
    Entrypoint: ['node', '--input-type=module', '-e', script, '--', at.canary, at.redirectTo],
    User: '0:0',
    Labels: labelsOf(id),
    HostConfig: { NetworkMode: `swy-redteam-${id}-${at.network}`, Memory: 256 * 1024 * 1024 },
    NetworkingConfig: {
      EndpointsConfig: {
        [`swy-redteam-${id}-${at.network}`]: {
          IPAMConfig: {
            ...(at.address === undefined ? {} : { IPv4Address: at.address }),
            ...(at.address6 === undefined ? {} : { IPv6Address: at.address6 }),
            ...(at.linkLocal === undefined ? {} : { LinkLocalIPs: [at.linkLocal] }),
          },
        },
      },
    },
  });
  await container.start();
  await until(
    async () => (await container.logs({ stdout: true, stderr: true })).toString(),
    (log) => log.includes('listening'),
    { what: `a listener on ${at.address ?? at.linkLocal}`, timeoutMs: 30_000 },
  );
  return container.id;
}

export const inside = (name: string): string =>
  fileURLToPath(new URL(`./inside/${name}`, import.meta.url));

async function serve(
  servers: Server[],
  host: string,
  { canary, heard }: { canary: string; heard: string[] },
): Promise<number> {
  const server = createServer((request, response) => {
    heard.push(request.url ?? '');
    request.resume();
    response.end(`${canary}\n`);
  });
  servers.push(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  return (server.address() as AddressInfo).port;
}

async function removeAll(docker: Docker, label: string): Promise<void> {
  const filters = { label: [label] };
  for (const { Id } of await docker.listContainers({ all: true, filters })) {
    await docker.getContainer(Id).remove({ force: true, v: true });
  }
  for (const { Id } of await docker.listNetworks({ filters })) await docker.getNetwork(Id).remove();
}
