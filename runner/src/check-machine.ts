import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { commandText } from '@switchyard/shared/text/command-text';
import { messageOf } from '@switchyard/shared/message-of';
import { isMissing } from './container/docker/daemon/docker-call.ts';
import { DockerContainerEngine } from './container/docker/docker-engine.ts';
import { hasEngines, labelledEngines } from './container/docker/image/engine-labels.ts';
import { defaultSandboxImage } from './container/docker/image/default-sandbox-image.ts';
import { versionOnHost } from './engine/host-engines.ts';
import { engineParts } from './engine/parts/engine-parts.ts';
import { canFetch, hostPlatform } from './engine/parts/host-problem.ts';
import { hostProgram } from './engine/parts/host-program.ts';
import { loadIdentity } from './identity.ts';
import { runProcess } from './workspace/git/run-process.ts';

/** Minimum free space. Source: interface specification, requirements of the host. */
const MIN_FREE_BYTES = 10 * 1024 ** 3;
const MIN_GIT = [2, 34] as const;
const CHECK_TIMEOUT_MS = 20_000;

/** The result of one check of this machine, with advice. */
export type MachineCheck = {
  name: string;
  status: 'ok' | 'warn' | 'fail';
  detail: string;
  /** What a person should do; null: nothing. */
  fix: string | null;
  /** The project's command that fixes it; null when none does. */
  fixCommand: 'sandbox:build' | null;
};

type Check = [name: string, fix: string, look: () => Promise<Partial<MachineCheck>>];

/**
 * Checks what a runner needs on this machine. Never throws. With `needsDocker` an unusable sandbox
 * is a failure, and engines for plain processes are not checked.
 */
export async function checkMachine(options: {
  dataDir: string;
  image: string | undefined;
  /** Engines that the image must have. */
  engines?: readonly string[];
  needsDocker?: boolean;
}): Promise<MachineCheck[]> {
  const image = options.image ?? defaultSandboxImage;
  const { needsDocker = false, engines = [] } = options;
  const checks: Check[] = [
    ['git', 'install git 2.34 or later', checkGit],
    ...(needsDocker ? [] : [engineOfProcesses]),
    [
      'sandbox',
      needsDocker
        ? 'start Docker, and let this user reach its socket'
        : 'start Docker (until then agents run unprotected)',
      () => checkDocker({ image, engines, isNeeded: needsDocker }),
    ],
    [
      'runner folder',
      'name a folder that you may write with --data-dir',
      () => checkFolder(options),
    ],
    [
      'runner identity',
      `run: ${commandText('runner join URL --token TOKEN', process.env)}`,
      () => checkJoined(options),
    ],
  ];
  return Promise.all(
    checks.map(async ([name, fix, check]) => {
      try {
        const found = await check();
        const status = found.status ?? 'ok';
        const detail = found.detail ?? '';
        const todo = status === 'ok' ? null : (found.fix ?? fix);
        return { name, status, detail, fix: todo, fixCommand: found.fixCommand ?? null };
      } catch (error) {
        const detail = messageOf(error);
        return { name, status: 'fail' as const, detail, fix, fixCommand: null };
      }
    }),
  );
}

async function checkGit(): Promise<Partial<MachineCheck>> {
  const version = await versionOf('git');
  const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(version)?.slice(1) ?? []).map(Number);
  const old = major < MIN_GIT[0] || (major === MIN_GIT[0] && minor < MIN_GIT[1]);
  return { status: old ? 'fail' : 'ok', detail: version };
}

/**
 * Checks the engines for plain processes: installed, or how to install them. Only the first one is
 * started.
 */
async function checkEngine(): Promise<Partial<MachineCheck>> {
  const [first, ...others] = engineParts();
  if (first === undefined) throw new Error('no agent engine is known');
  const program = hostProgram(first.name)?.[0];
  const here = [
    ...(program === undefined ? [] : [await versionOf(program)]),
    ...others.flatMap(({ name }) => {
      const version = versionOnHost(name);
      return version === null ? [] : [`${name} ${version}`];
    }),
  ];
  if (program !== undefined) return { detail: here.join(', ') };
  if (!canFetch(first)) {
    throw new Error(`${first.title} ${first.version} has no build for ${hostPlatform()}`);
  }
  const missing =
    `${first.title} ${first.version} is not installed and is fetched, about ${first.sizeMiB} MiB, ` +
    `when an agent without a container first needs it (now: ${commandText(`engine install ${first.name}`, process.env)})`;
  return { detail: [...here, missing].join(', ') };
}

const engineOfProcesses: Check = ['agent engine', 'run agents in Docker', checkEngine];

/**
 * Checks Docker. Without it work continues unprotected, so this is a warning, and a failure only if
 * Docker is required.
 */
async function checkDocker(wanted: {
  image: string;
  engines: readonly string[];
  isNeeded: boolean;
}): Promise<Partial<MachineCheck>> {
  const { image, engines, isNeeded } = wanted;
  const docker = new DockerContainerEngine({ image });
  try {
    const { version, labels, gaps = [] } = await docker.check();
    const has = Object.entries(labelledEngines(labels) ?? {}).map((entry) => entry.join(' '));
    const holds = has.length === 0 ? '' : ` (${has.join(', ')})`;
    const detail = [`Docker ${version} with ${image}${holds}`, ...gaps].join('; ');
    if (image === defaultSandboxImage && !hasEngines(labels, engines)) {
      const command = `runner build-image --engine ${engines.join(',')}`;
      const status = isNeeded ? ('fail' as const) : ('warn' as const);
      const text = `${detail}; it was not built with ${engines.join(', ')}`;
      return { status, detail: text, fix: `run: ${commandText(command, process.env)}` };
    }
    return gaps.length === 0 ? { detail } : { status: 'warn', detail, fix: 'see docs/security.md' };
  } catch (error) {
    const detail = messageOf(error);
    const status = isNeeded ? 'fail' : 'warn';
    if (!isMissing(error)) return { status, detail };
    const start = `start the runner with --build-image${isNeeded ? '' : ' (until then agents run unprotected)'}`;
    if (image !== defaultSandboxImage)
      return { status, detail, fix: `run: docker pull ${image}, or ${start}` };
    const fix = `run: ${commandText('runner build-image', process.env)}, or ${start}`;
    return { status, detail, fix, fixCommand: 'sandbox:build' };
  } finally {
    await docker.close();
  }
}

async function checkFolder({ dataDir }: { dataDir: string }): Promise<Partial<MachineCheck>> {
  // A check creates nothing: a missing folder is judged by its nearest existing parent.
  const place = await nearestFolder(dataDir);
  await access(place, constants.R_OK | constants.W_OK | constants.X_OK);
  const { bavail, bsize } = await statfs(place);
  const freeBytes = bavail * bsize;
  const missing = place === dataDir ? '' : ' (made by the first start)';
  const detail = `${dataDir}${missing}, ${(freeBytes / 1024 ** 3).toFixed(1)} GiB free`;
  if (freeBytes >= MIN_FREE_BYTES) return { detail };
  return { status: 'warn', detail, fix: 'free some disk space: 10 GiB are asked for' };
}

/** The folder itself if it exists, else the nearest existing one above it. */
async function nearestFolder(path: string): Promise<string> {
  const found = await stat(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
  const above = dirname(path);
  return found !== null || above === path ? path : nearestFolder(above);
}

async function checkJoined({ dataDir }: { dataDir: string }): Promise<Partial<MachineCheck>> {
  const identity = await loadIdentity(dataDir);
  if (identity === null) {
    return { detail: 'joined no control plane; "switchyard start" brings a runner of its own' };
  }
  return { detail: `${identity.runnerId} of ${identity.controlPlaneUrl}` };
}

async function versionOf(file: string): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '' };
  const limits = { timeoutMs: CHECK_TIMEOUT_MS, maxOutputBytes: 4_096 };
  const done = await runProcess({ file, args: ['--version'], env, ...limits });
  if (done.exitCode !== 0) throw new Error(`${file} --version ended with ${done.exitCode}`);
  return done.stdout.toString().trim().split('\n')[0] ?? '';
}
