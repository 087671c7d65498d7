import { messageOf } from '@switchyard/shared/message-of';
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createGzip } from 'node:zlib';
import { promisify } from 'node:util';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { childEnvironment, findNpm } from '../bootstrap/find-npm.mjs';
import { projectRoot } from '../bootstrap/project-root.mjs';
import { EXIT } from '../client/exit.ts';
import {
  type Architecture,
  architectures,
  assembleContext,
  type ImageContext,
} from './assemble-context.ts';
import { checkBinaries } from './check-binaries.ts';
import { setArchitecture } from './set-architecture.ts';

const run = promisify(execFile);
const ASK_TIMEOUT_MS = 30_000;
const PACKAGE_TIMEOUT_MS = 10 * 60_000;
const BUILD_TIMEOUT_MS = 30 * 60_000;
const MIN_SHOWN_LINES = 40;
/** Limit of the compressed size of an image. */
const MAX_IMAGE_BYTES = 200_000_000;

const TARGETS = ['control-plane', 'runner', 'database'] as const;
type Target = (typeof TARGETS)[number];

type Flags = {
  platform?: Architecture;
  baseImage: string;
  prefix: string;
  tag?: string;
  package?: string;
  context?: string;
  only?: Target[];
  json: boolean;
};
type Built = {
  image: string;
  platform: string;
  /** Whether this machine can run the image. */
  runs: boolean;
  /** Number of programs and libraries whose headers were checked. */
  binaries: number;
  compressedBytes: number;
};

/** `npm run images`: builds the images of this checkout with the Docker daemon of this machine. */
async function buildImages(flags: Flags, progress: (line: string) => void): Promise<Built[]> {
  const native = await daemonArchitecture();
  const architecture = flags.platform ?? native;
  const making = mkdtempSync(join(tmpdir(), 'switchyard-images-'));
  try {
    const archive = flags.package ?? (await packProduct(making, progress));
    const input = { root: projectRoot, archive, architectures: [architecture], progress };
    const context = await assembleContext({ ...input, folder: join(making, 'context') });
    const revision = await revisionOf(projectRoot);
    const suffix = architecture === native ? '' : `-${architecture}`;
    const built: Built[] = [];
    for (const target of flags.only ?? TARGETS) {
      const image = imageName(flags, target, context, suffix);
      progress(`building ${image}`);
      await dockerBuild(context, { target, image, architecture, native, revision, flags });
      const compressedBytes = await compressedSize(image);
      if (compressedBytes > MAX_IMAGE_BYTES) {
        throw new Error(
          `${image} has ${compressedBytes} bytes compressed; at most ${MAX_IMAGE_BYTES} are allowed`,
        );
      }
      if (architecture !== native) await setArchitecture(image, architecture);
      const binaries = await checkBinaries(image, architecture);
      const platform = `linux/${architecture}`;
      built.push({ image, platform, runs: architecture === native, binaries, compressedBytes });
    }
    return built;
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

/** Writes only the build context, for a builder that builds several platforms at once. */
async function writeContext(flags: Flags, progress: (line: string) => void): Promise<ImageContext> {
  const folder = resolve(flags.context ?? '');
  if (existsSync(folder)) throw new Error(`${folder} is there already: name a new folder`);
  mkdirSync(folder, { recursive: true });
  const making = mkdtempSync(join(tmpdir(), 'switchyard-images-'));
  try {
    const archive = flags.package ?? (await packProduct(making, progress));
    const wanted: readonly Architecture[] =
      flags.platform === undefined ? ['amd64', 'arm64'] : [flags.platform];
    const input = { root: projectRoot, archive, architectures: wanted, progress };
    return await assembleContext({ ...input, folder });
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

function imageName(
  { prefix, tag }: Flags,
  target: Target,
  { version }: ImageContext,
  suffix: string,
): string {
  return `${prefix}${target}:${tag ?? version}${suffix}`;
}

/** Runs `npm run package`, whose last line of output is the archive's path. */
async function packProduct(folder: string, progress: (line: string) => void): Promise<string> {
  progress('packing the product');
  const { stdout } = await run(
    process.execPath,
    [findNpm(), 'run', '--silent', 'package', '--', folder],
    {
      cwd: projectRoot,
      env: childEnvironment(process.env, dirname(process.execPath)),
      timeout: PACKAGE_TIMEOUT_MS,
    },
  );
  return stdout.trim().split('\n').at(-1) ?? '';
}

async function dockerBuild(
  { folder, version, databaseVersion }: ImageContext,
  given: {
    target: Target;
    image: string;
    architecture: Architecture;
    native: Architecture;
    revision: string;
    flags: Flags;
  },
): Promise<void> {
  const values = {
    BASE_IMAGE: given.flags.baseImage,
    BUILDPLATFORM: `linux/${given.native}`,
    TARGETARCH: given.architecture,
    VERSION: version,
    REVISION: given.revision,
    DATABASE_VERSION: databaseVersion,
  };
  const args = [
    'build',
    '--target',
    given.target,
    '--tag',
    given.image,
    // The tag that compose.yaml uses by default.
    ...(given.architecture === given.native && given.flags.tag === undefined
      ? ['--tag', `${given.flags.prefix}${given.target}:latest`]
      : []),
    ...Object.entries(values).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
    folder,
  ];
  await docker(args, BUILD_TIMEOUT_MS);
}

/** Runs docker; throws with the last lines of its output when it fails. */
async function docker(args: readonly string[], timeoutMs: number): Promise<string> {
  try {
    const { stdout } = await run('docker', args, { timeout: timeoutMs, maxBuffer: 64 << 20 });
    return stdout.trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new Error('docker is missing: install its command line', { cause: error });
    }
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    const lines = `${stdout}\n${stderr}`.trim().split('\n').slice(-MIN_SHOWN_LINES);
    throw new Error(`docker ${args[0]} failed:\n${lines.join('\n')}`, { cause: error });
  }
}

async function daemonArchitecture(): Promise<Architecture> {
  const reported = await docker(['version', '--format', '{{.Server.Arch}}'], ASK_TIMEOUT_MS);
  if (isArchitecture(reported)) return reported;
  throw new Error(`the Docker daemon runs on ${reported}; images exist for amd64 and arm64`);
}

function isArchitecture(text: string): text is Architecture {
  return Object.hasOwn(architectures, text);
}

/** Approximate size of the image in a registry: that of its compressed archive. */
async function compressedSize(image: string): Promise<number> {
  const saving = spawn('docker', ['save', image], { stdio: ['ignore', 'pipe', 'inherit'] });
  let bytes = 0;
  for await (const chunk of saving.stdout.pipe(createGzip())) bytes += (chunk as Buffer).length;
  return bytes;
}

/** The commit that the images are built from, with a mark when files differ from it. */
async function revisionOf(root: string): Promise<string> {
  const git = (...args: string[]) => run('git', args, { cwd: root, timeout: ASK_TIMEOUT_MS });
  try {
    const { stdout: commit } = await git('rev-parse', 'HEAD');
    const { stdout: changes } = await git('status', '--porcelain', '--untracked-files=no');
    return commit.trim() + (changes.trim() === '' ? '' : '-changed');
  } catch {
    return 'unknown';
  }
}

function parsePlatform(text: string): Architecture {
  const name = text.replace(/^linux\//, '');
  if (isArchitecture(name)) return name;
  throw new InvalidArgumentError('give linux/amd64 or linux/arm64.');
}

function shown({ image, platform, runs, binaries, compressedBytes }: Built): string {
  const size = `${(compressedBytes / 1e6).toFixed(0)} MB compressed`;
  const note = runs ? '' : '; assembled, not run';
  return `${image}  ${platform}  ${size}, ${binaries} binaries for it${note}\n`;
}

async function main(args: string[]): Promise<number> {
  const command = new Command('images')
    .description('Build the images of control plane, runner and libSQL server from this checkout.')
    .option(
      '--platform <name>',
      'linux/amd64 or linux/arm64 (default: the daemon’s)',
      parsePlatform,
    )
    .option(
      '--base-image <name>',
      'Debian image in which packages are unpacked',
      'debian:bookworm-slim',
    )
    .option('--prefix <text>', 'what the images’ names begin with', 'switchyard-')
    .option('--tag <text>', 'tag of all images (default: the version, and latest)')
    .option('--package <file>', 'archive of `npm run package` (default: made anew)')
    .option('--context <folder>', 'write the build context for both platforms, and build nothing')
    .addOption(new Option('--only <target...>', 'some of the images').choices(TARGETS))
    .option('--json', 'print one JSON object', false)
    .exitOverride();
  try {
    command.parse(args, { from: 'user' });
  } catch (error) {
    return error instanceof CommanderError && error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
  const flags = command.opts<Flags>();
  const progress = (line: string) => void process.stderr.write(`${line}\n`);
  try {
    if (flags.context !== undefined) {
      const context = await writeContext(flags, progress);
      process.stdout.write(flags.json ? `${JSON.stringify(context)}\n` : `${context.folder}\n`);
      return EXIT.done;
    }
    const built = await buildImages(flags, progress);
    process.stdout.write(
      flags.json ? `${JSON.stringify({ images: built })}\n` : built.map(shown).join(''),
    );
    return EXIT.done;
  } catch (error) {
    const message = messageOf(error);
    process.stderr.write(`images: ${message}\n`);
    return /^docker is missing|Cannot connect/m.test(message) ? EXIT.notConfigured : EXIT.failed;
  }
}

process.exitCode = await main(process.argv.slice(2));
