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
import { defaultSandboxImage } from '../../runner/src/container/docker/sandbox-image.ts';
import { until } from '../support/e2e/until.ts';

const CALL_TIMEOUT_MS = 60_000;
const LABEL = 'switchyard.redteam';
/** In the range of machines' metadata services, and of no use to the machine that tests. */
const METADATA = '100.100.100.200';
const METADATA_SUBNET = '100.100.100.192/28';

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
  gateway: string;
  /** Of a service of this host on the gateway's address. */
  gatewayPort: number;
  /** Of a service of this host on its loopback. */
  loopbackPort: number;
  /** The home of somebody who keeps keys in files, and their environment. */
  home: string;
  environment: Record<string, string>;
  /** Also removes what a runner left whose suite was cut off. */
  close(runnerId?: string): Promise<void>;
};

const plant = (name: string): string => `swyplant-${name}-${randomBytes(8).toString('hex')}`;

/** Keys where people have them: eight in files of a home folder, three in the environment. */
const PLANTED_FILES = [
  ...['.npmrc', '.netrc', '.git-credentials', '.aws/credentials', '.ssh/id_ed25519'],
  ...['.docker/config.json', '.codex/auth.json', '.config/gh/hosts.yml'],
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
    const prefix = `fd00:5e7:${randomInt(1, 65_535).toString(16)}:`;
    const [target, other, gateway] = [4, 5, 1].map((one) => `203.0.113.${octet + one}`);
    const target6 = `${prefix}:4`;
    await network(docker, id, 'out', [{ Subnet: outside }, { Subnet: `${prefix}:/64` }]);
    await network(docker, id, 'meta', [{ Subnet: METADATA_SUBNET }]);
    const [at = '', elsewhere = '', host = ''] = [target, other, gateway];
    await Promise.all([
      listener(docker, id, {
        network: 'out',
        address: at,
        address6: target6,
        canary,
        redirectTo: `http://${elsewhere}/`,
      }),
      listener(docker, id, { network: 'out', address: elsewhere, canary, redirectTo: '' }),
      listener(docker, id, { network: 'meta', address: METADATA, canary, redirectTo: '' }),
    ]);
    const gatewayPort = await serve(servers, host, canary);
    const loopbackPort = await serve(servers, '127.0.0.1', canary);
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
      ...{ id, docker, folder, canary, target: at, target6, other: elsewhere },
      ...{ metadata: METADATA, gateway: host, gatewayPort, loopbackPort, home, environment, close },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Labels of everything that a world makes on the daemon. */
export const labelsOf = (id: string): Record<string, string> => ({ [LABEL]: id });

/** What is left of a world on the daemon, by name. */
export async function leftOf(docker: Docker, id: string): Promise<string[]> {
  const filters = { label: [`${LABEL}=${id}`] };
  const containers = await docker.listContainers({ all: true, filters });
  const networks = await docker.listNetworks({ filters });
  const { Volumes: volumes } = await docker.listVolumes({ filters });
  return [
    ...containers.map(({ Id }) => `container ${Id}`),
    ...networks.map(({ Name }) => `network ${Name}`),
    ...(volumes ?? []).map(({ Name }) => `volume ${Name}`),
  ];
}

async function network(
  docker: Docker,
  id: string,
  name: string,
  ranges: { Subnet: string }[],
): Promise<void> {
  // Internal: nothing in it has a route beyond this machine.
  const options = {
    Name: `swy-redteam-${id}-${name}`,
    Internal: true,
    EnableIPv6: ranges.length > 1,
    IPAM: { Driver: 'default', Config: ranges },
    Labels: labelsOf(id),
  };
  // Another run on the same daemon may have the range for a moment.
  await until(
    () =>
      docker.createNetwork(options).then(
        () => null,
        (error: unknown) => String(error),
      ),
    (error) => error === null || !/overlap/i.test(error),
    { what: `network ${name}`, timeoutMs: 120_000 },
  );
}

async function listener(
  docker: Docker,
  id: string,
  at: { network: string; address: string; address6?: string; canary: string; redirectTo: string },
): Promise<void> {
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
            IPv4Address: at.address,
            ...(at.address6 === undefined ? {} : { IPv6Address: at.address6 }),
          },
        },
      },
    },
  });
  await container.start();
  await until(
    async () => (await container.logs({ stdout: true, stderr: true })).toString(),
    (log) => log.includes('listening'),
    { what: `a listener on ${at.address}`, timeoutMs: 30_000 },
  );
}

export const inside = (name: string): string =>
  fileURLToPath(new URL(`./inside/${name}`, import.meta.url));

async function serve(servers: Server[], host: string, canary: string): Promise<number> {
  const server = createServer((_request, response) => response.end(`${canary}\n`));
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
