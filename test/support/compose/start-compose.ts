import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { failingTestProject } from '../../../control-plane/scripted-provider/failing-test-project.ts';
import {
  type Script,
  type ScriptedProvider,
  startScriptedProvider,
} from '../../../control-plane/scripted-provider/scripted-provider.ts';
import { type GitRepository, makeRepository } from '../e2e/git-repository.ts';
import { ServiceClient } from '../e2e/service-client.ts';
import { repositoryRoot } from '../e2e/start-service.ts';
import { until } from '../e2e/until.ts';

const run = promisify(execFile);
const COMPOSE_TIMEOUT_MS = 180_000;
const READY_TIMEOUT_MS = 90_000;
const DOCKER_TIMEOUT_MS = 30_000;
const MAX_OUTPUT_BYTES = 16 << 20;
/** Of the images; a test that is not root runs the runner as itself. */
const IMAGE_ID = 10_001;
const PROVIDER_HOST = 'provider.test';

export type ComposeService = 'control-plane' | 'database' | 'runner';

export type Compose = {
  provider: ScriptedProvider;
  repository: GitRepository;
  client: ServiceClient;
  /** Starts what does not run, as a person would, and waits until the control plane decides. */
  up(): Promise<void>;
  /** KILL, without any notice. */
  kill(service: ComposeService): Promise<void>;
  /** `down -v`; answers what of the project and of its runners the daemon still has. */
  down(): Promise<string[]>;
  /** Removes everything, whatever happened. */
  close(): Promise<void>;
};

/**
 * compose.yaml with locally built images, a new set of secrets and a scripted model on this machine.
 * Only ports, paths and the model are set: everything else is as an installation has it.
 */
export async function startCompose(given: {
  images: string;
  tag: string;
  script: Script;
}): Promise<Compose> {
  // Short: a socket's path below it has room for about 100 bytes.
  const folder = await mkdtemp(join(tmpdir(), 'swy-up-'));
  const project = `sy-install-${randomBytes(4).toString('hex')}`;
  const apiKey = `compose-${randomBytes(16).toString('hex')}`;
  // Containers reach this machine by a name that the daemon gives them; its address differs.
  const provider = await startScriptedProvider({ script: given.script, apiKey, host: '0.0.0.0' });
  const providerUrl = provider.url.replace('0.0.0.0', PROVIDER_HOST);
  const data = join(folder, 'data');
  const port = await freePort();
  const owner = process.getuid?.() === 0 ? IMAGE_ID : (process.getuid?.() ?? IMAGE_ID);
  await mkdir(data, { mode: 0o700 });
  await run('sh', [join(repositoryRoot, 'docs/install/make-secrets.sh'), join(folder, 'secrets')], {
    timeout: DOCKER_TIMEOUT_MS,
  });
  const repositories = join(folder, 'repositories');
  await mkdir(repositories, { mode: 0o700 });
  const repository = await makeRepository(repositories, 'project', { files: failingTestProject });
  for (const each of [data, repositories]) await own(each, owner);
  const override = join(folder, 'override.json');
  await writeFile(
    override,
    JSON.stringify({
      services: {
        'control-plane': {
          environment: {
            // A test looks more often than a person.
            SERVICE_CONFIG__limits__apiPerMinute: '100000',
            SERVICE_CONFIG__engine__model: 'scripted-model',
            SERVICE_CONFIG__engine__provider__name: 'scripted',
            SERVICE_CONFIG__engine__provider__baseUrl: providerUrl,
            SERVICE_CONFIG__engine__provider__apiKey: apiKey,
          },
        },
        runner: {
          user: `${owner}:${owner}`,
          environment: { SWITCHYARD_ALLOW_FOLDERS: repositories },
          volumes: [`${repositories}:${repositories}`],
          extra_hosts: [`${PROVIDER_HOST}:host-gateway`],
        },
      },
    }),
  );
  const socket = new URL(process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock').pathname;
  const { stdout: group } = await run('stat', ['-c', '%g', socket], { timeout: DOCKER_TIMEOUT_MS });
  const env = {
    ...process.env,
    SWITCHYARD_IMAGES: given.images,
    SWITCHYARD_VERSION: given.tag,
    SWITCHYARD_SECRETS: join(folder, 'secrets'),
    SWITCHYARD_PORT: String(port),
    SWITCHYARD_RUNNER_DATA: data,
    SWITCHYARD_DOCKER_SOCKET: socket,
    SWITCHYARD_DOCKER_GROUP: group.trim(),
  };
  const files = ['-f', join(repositoryRoot, 'compose.yaml'), '-f', override];
  const compose = async (...words: string[]) => {
    const { stdout } = await run('docker-compose', [...files, '-p', project, ...words], {
      env,
      timeout: COMPOSE_TIMEOUT_MS,
      maxBuffer: MAX_OUTPUT_BYTES,
    });
    return stdout;
  };
  const token = (await readFile(join(folder, 'secrets/write-token'), 'utf8')).trim();
  const client = new ServiceClient(`http://127.0.0.1:${port}`, () => '', token);
  const leads = () =>
    client.ask('GET', '/readyz?leads=true').then(
      ({ status }) => status === 200,
      () => false,
    );
  return {
    provider,
    repository,
    client,
    async up() {
      await compose('up', '-d');
      const wait = { what: 'a control plane that leads', timeoutMs: READY_TIMEOUT_MS };
      await until(leads, Boolean, wait).catch(async (error: unknown) => {
        const logs = await compose('logs', '--no-color', '--tail', '40');
        throw new Error(`${String(error)}\n${logs}`, { cause: error });
      });
    },
    kill: (service) => compose('kill', '-s', 'KILL', service).then(() => undefined),
    async down() {
      const runners = (await client.runners()).map(({ runnerId }) => runnerId);
      await compose('down', '-v');
      const label = `label=com.docker.compose.project=${project}`;
      const left = await Promise.all([
        list('ps', '-a', '--filter', label),
        list('volume', 'ls', '--filter', label),
        list('network', 'ls', '--filter', label),
        ...runners.map((id) => list('ps', '-a', '--filter', `label=switchyard.runner_id=${id}`)),
      ]);
      return left.flat();
    },
    async close() {
      await compose('down', '-v').catch(() => '');
      await provider.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

async function list(...words: string[]): Promise<string[]> {
  const { stdout } = await run('docker', [...words, '--quiet'], { timeout: DOCKER_TIMEOUT_MS });
  return stdout.split('\n').filter((line) => line !== '');
}

async function own(folder: string, owner: number): Promise<void> {
  if (process.getuid?.() !== 0) return;
  await chown(folder, owner, owner);
  for (const entry of await readdir(folder, { recursive: true })) {
    await chown(join(folder, entry), owner, owner);
  }
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}
