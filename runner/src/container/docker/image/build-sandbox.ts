import { spawn } from 'node:child_process';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { Command } from 'commander';
import Docker from 'dockerode';
import { DockerError, daemonAddress, dockerCall, isMissing } from '../daemon/docker-call.ts';
import { defaultSandboxImage, sandboxFolder } from './sandbox-image.ts';
import { collectPackages } from './collect-packages.ts';
import type { SandboxArchitecture } from './collect-packages.ts';

const BUILD_TIMEOUT_MS = 30 * 60_000;
const BASE_LABEL = 'switchyard.base-image';

type BuildOptions = {
  tag: string;
  baseImage: string;
  buildImage: string;
  cacheDir: string;
  force: boolean;
};

/**
 * Builds the sandbox image for the daemon's own architecture. Does nothing when the tag is there
 * and was made from the same base. Throws with what to do when a step fails.
 */
async function buildSandbox(
  docker: Docker,
  options: BuildOptions,
  progress: (line: string) => void,
): Promise<void> {
  const info = await dockerCall('info', () => docker.info());
  const architecture = architectureOf(String(info.Architecture));
  progress(`daemon ${daemonAddress(docker)}: ${info.ServerVersion}, ${architecture}`);
  if (!options.force && (await isBuilt(docker, options))) {
    progress(`image ${options.tag} is present`);
    return;
  }
  const context = await mkdtemp(join(tmpdir(), 'switchyard-sandbox-'));
  try {
    for (const name of ['Dockerfile', 'shim.c']) {
      await copyFile(join(sandboxFolder, name), join(context, name));
    }
    await collectPackages({
      architecture,
      cacheFolder: options.cacheDir,
      destination: join(context, 'tools'),
      progress,
    });
    await sendBuild(docker, context, options, progress);
    progress(`built ${options.tag}`);
  } finally {
    await rm(context, { recursive: true, force: true });
  }
}

function architectureOf(reported: string): SandboxArchitecture {
  if (reported === 'x86_64' || reported === 'amd64') return 'x64';
  if (reported === 'aarch64' || reported === 'arm64') return 'arm64';
  throw new Error(
    `the Docker daemon runs on ${reported}; the engine exists for x86_64 and aarch64`,
  );
}

async function isBuilt(docker: Docker, options: BuildOptions): Promise<boolean> {
  try {
    const image = await dockerCall('inspect image', () => docker.getImage(options.tag).inspect());
    return image.Config.Labels?.[BASE_LABEL] === options.baseImage;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function sendBuild(
  docker: Docker,
  context: string,
  options: BuildOptions,
  progress: (line: string) => void,
): Promise<void> {
  const tar = spawn('tar', ['-C', context, '-cf', '-', '.'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, COPYFILE_DISABLE: '1' },
  });
  progress('sending the build context to the daemon');
  const answer = await dockerCall(
    'build image',
    () =>
      docker.buildImage(tar.stdout, {
        t: options.tag,
        buildargs: { BASE_IMAGE: options.baseImage, BUILD_IMAGE: options.buildImage },
        labels: { [BASE_LABEL]: options.baseImage },
        rm: true,
        forcerm: true,
      }),
    BUILD_TIMEOUT_MS,
  ).finally(() => tar.kill());
  const timer = setTimeout(() => {
    if (answer instanceof Readable) answer.destroy(new Error('the build took over 30 minutes'));
  }, BUILD_TIMEOUT_MS);
  try {
    await followBuild(answer, progress);
  } finally {
    clearTimeout(timer);
  }
}

async function followBuild(
  answer: NodeJS.ReadableStream,
  progress: (line: string) => void,
): Promise<void> {
  for await (const line of createInterface({ input: answer, crlfDelay: Infinity })) {
    if (line.trim() === '') continue;
    const message: { stream?: string; status?: string; error?: string } = JSON.parse(line);
    if (message.error) throw new Error(`build failed: ${message.error.trim()}`);
    const text = (message.stream ?? message.status ?? '').trim();
    if (text !== '') progress(text);
  }
}

async function main(words: string[]): Promise<number> {
  const command = new Command('sandbox:build')
    .description('Build the image in which agents run, for the architecture of the Docker daemon.')
    .option('--tag <name>', 'name of the image', defaultSandboxImage)
    .option('--base-image <name>', 'Debian image to build on', 'debian:bookworm-slim')
    .option('--build-image <name>', 'image that compiles the shim (default: the base image)')
    .option('--cache-dir <folder>', 'where fetched packages are kept', defaultCacheFolder())
    .option('--force', 'build even when the image is present', false)
    .addHelpText(
      'after',
      '\nDOCKER_HOST chooses the daemon. Node and the engine come through npm, Debian packages from the\nmirror that the base image names.',
    )
    .exitOverride();
  try {
    command.parse(words, { from: 'user' });
  } catch (error) {
    const code: unknown = error instanceof Error && 'exitCode' in error ? error.exitCode : 1;
    return code === 0 ? 0 : 2;
  }
  const options = command.opts<Omit<BuildOptions, 'buildImage'> & { buildImage?: string }>();
  const docker = new Docker();
  try {
    await buildSandbox(
      docker,
      { ...options, buildImage: options.buildImage ?? options.baseImage },
      (line) => process.stdout.write(`${line}\n`),
    );
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof DockerError && error.status === null ? 3 : 1;
  }
}

function defaultCacheFolder(): string {
  const base = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(base, 'switchyard', 'sandbox');
}

process.exitCode = await main(process.argv.slice(2));
