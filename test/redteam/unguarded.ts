import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultSandboxImage } from '../../runner/src/container/docker/image/default-sandbox-image.ts';
import type { Results } from './attack-script.ts';
import { attackCommand, resultsIn } from './attack-script.ts';
import { daemonSocket } from './attempts.ts';
import { openProxy } from './inside/open-proxy.ts';
import { repositoryRoot } from '../support/e2e/start-service.ts';
import type { World } from './world.ts';
import { inside, labelsOf } from './world.ts';

const RUN_TIMEOUT_MS = 150_000;
/** What the daemon may take for one request beyond the run itself. */
const STEP_TIMEOUT_MS = 60_000;
const MAX_PROCESSES = 1_000;
const SHIM = ['/usr/local/bin/switchyard-shim', '--listen', '127.0.0.1:8099', '--connect'];
/** Stands for an engine whose program can be read. */
const ENGINE = `node -e 'setTimeout(() => {}, 60000)' app-server`;

/**
 * Runs the same script in a container without one of the guards: root with every capability on the
 * host's network, processes and folders, without a first process of ours. Bounded all the same.
 */
export async function withoutLocks(
  world: World,
  asked: Record<string, unknown>,
  processes: 'of the host' | 'of its own' = 'of the host',
): Promise<Results> {
  const resolv = join(world.folder, 'resolv.conf');
  await writeFile(resolv, `nameserver ${world.target}\noptions timeout:2 attempts:1\n`);
  const dockerSocket = daemonSocket();
  const container = await world.docker.createContainer({
    Image: defaultSandboxImage,
    Entrypoint: ['sh', '-c', `${ENGINE} & ${await attackCommand(asked)}`],
    User: '0:0',
    Env: Object.entries(world.environment).map(([name, value]) => `${name}=${value}`),
    Labels: labelsOf(world.id),
    HostConfig: {
      // As much as a daemon that is not all-powerful itself can give.
      CapAdd: ['SYS_ADMIN', 'SYS_PTRACE'],
      SecurityOpt: ['seccomp=unconfined', 'apparmor=unconfined'],
      MaskedPaths: [],
      ReadonlyPaths: [],
      NetworkMode: 'host',
      ...(processes === 'of the host' ? { PidMode: 'host' } : {}),
      PidsLimit: MAX_PROCESSES,
      Memory: 2 * 1024 ** 3,
      Binds: [
        `${world.folder}:${world.folder}`,
        `${resolv}:/etc/resolv.conf:ro`,
        `${dockerSocket}:${dockerSocket}`,
      ],
    },
  });
  return finish(container);
}

/** Runs it in a locked container whose proxy lets everything through that is asked for. */
export async function withoutList(
  world: World,
  asked: Record<string, unknown>,
  hosts: string[],
): Promise<Results> {
  const access = join(world.folder, 'access');
  const proxy = await openProxy(access, hosts);
  try {
    const container = await world.docker.createContainer({
      Image: defaultSandboxImage,
      Cmd: ['sh', '-c', await attackCommand(asked)],
      Entrypoint: [...SHIM, 'unix:/run/switchyard/proxy.sock', '--'],
      Labels: labelsOf(world.id),
      HostConfig: {
        NetworkMode: 'none',
        CapDrop: ['ALL'],
        Memory: 1024 ** 3,
        PidsLimit: 256,
        Binds: [`${access}:/run/switchyard:ro`],
      },
    });
    return await finish(container);
  } finally {
    await inTime('let go of its proxy', STEP_TIMEOUT_MS, proxy.close());
  }
}

/**
 * Runs it in the network of the metadata service, which no other network of this machine reaches:
 * directly, and through a proxy in there that lets its address through.
 */
export async function besideMetadata(
  world: World,
  asked: Record<string, unknown>,
): Promise<Results> {
  const proxy = `node ${inside('open-proxy.ts')} /tmp/access ${world.metadata}`;
  const ready = 'until [ -S /tmp/access/proxy.sock ]; do sleep 0.1; done';
  const attack = `${SHIM.join(' ')} unix:/tmp/access/proxy.sock -- sh -c "$ATTACK"`;
  const container = await world.docker.createContainer({
    Image: defaultSandboxImage,
    Entrypoint: ['sh', '-c', `${proxy} & ${ready}; ${attack}`],
    Env: [`ATTACK=${await attackCommand(asked)}`],
    User: '0:0',
    Labels: labelsOf(world.id),
    HostConfig: {
      NetworkMode: `container:${world.metadataContainer}`,
      Memory: 1024 ** 3,
      PidsLimit: 256,
      Binds: [`${repositoryRoot}:${repositoryRoot}:ro`],
    },
  });
  return finish(container);
}

async function finish(
  container: Awaited<ReturnType<World['docker']['createContainer']>>,
): Promise<Results> {
  const timer = setTimeout(() => void container.kill().catch(() => undefined), RUN_TIMEOUT_MS);
  try {
    await inTime('start', STEP_TIMEOUT_MS, container.start());
    await inTime('end', RUN_TIMEOUT_MS + STEP_TIMEOUT_MS, container.wait());
    const asked = container.logs({ stdout: true, stderr: true });
    const log = await inTime('give its log', STEP_TIMEOUT_MS, asked);
    const text = log.toString('utf8');
    const found = resultsIn(text.slice(text.indexOf('RESULTS ')));
    if (Object.keys(found).length === 0)
      throw new Error(`the attacks said nothing: ${text.slice(0, 2_000)}`);
    return found;
  } finally {
    clearTimeout(timer);
    await inTime('be removed', STEP_TIMEOUT_MS, container.remove({ force: true, v: true }));
  }
}

/** The result of a step, or an error that names the step when it takes too long. */
async function inTime<T>(step: string, timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`the container did not ${step} within ${timeoutMs} ms`);
    timer = setTimeout(() => reject(error), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
