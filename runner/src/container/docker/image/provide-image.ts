import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { holdFolderLock } from '../../../engine/parts/hold-folder-lock.ts';
import { dockerCall, isMissing } from '../daemon/docker-call.ts';
import { collectPackages } from './collect-packages.ts';
import type { SandboxArchitecture } from './collect-packages.ts';
import {
  DEFAULT_ENGINE,
  engineLabels,
  hasEngines,
  isKnownEngine,
  labelledEngines,
} from './engine-labels.ts';
import type { ImageAttempt } from './image-failed.ts';
import { ImageCancelled, imageFailure } from './image-failed.ts';
import type { ImageStep } from './image-step.ts';
import { shortLine } from './image-step.ts';
import { pullImage } from './pull-image.ts';
import { sandboxFolder } from './default-sandbox-image.ts';
import { sendBuild } from './send-build.ts';

const TIMEOUT_MS = 30 * 60_000;
const BASE_LABEL = 'switchyard.base-image';
export const DEFAULT_BASE_IMAGE = 'debian:bookworm-slim';

/** The requested image and its source. */
export type WantedImage =
  | {
      source: 'build';
      image: string;
      /**
       * Debian image to build on; left out: any, preferably that of the former image, else the
       * default.
       */
      baseImage?: string;
      /** Image that compiles the shim; left out: the base image. */
      buildImage?: string;
      /** Engines that the image must have; left out: any, and the default one when it is built. */
      engines?: readonly string[];
      /** Build even when the image is present. */
      force?: boolean;
    }
  | { source: 'pull'; image: string };

export type ProvideOptions = {
  signal: AbortSignal;
  progress: (step: ImageStep) => void;
  /** Folder for fetched packages and the build context; by default below `~/.cache`. */
  cacheFolder?: string;
  /** Timeout of the whole work; by default 30 minutes. */
  timeoutMs?: number;
};

/**
 * Makes sure that the daemon has an image: builds the product's own, pulls any other. Concurrent
 * processes of one machine do it one after another, and one that finds the image is done. Nothing
 * of this host's environment or secrets enters a build. Rejects with `ImageFailed`, or with
 * `ImageCancelled` when the signal aborts; then only fetched packages are left.
 */
export async function provideImage(
  docker: Docker,
  wanted: WantedImage,
  options: ProvideOptions,
): Promise<void> {
  const { cacheFolder = defaultCacheFolder(), timeoutMs = TIMEOUT_MS, progress } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([options.signal, timeout]);
  let full = wanted;
  try {
    await holdFolderLock(
      join(cacheFolder, 'lock'),
      { signal, waiting: () => progress({ kind: 'waiting' }) },
      async () => {
        const labels = await labelsOf(docker, wanted.image);
        const isThere = labels !== null && isUsable(labels, wanted);
        full = asBefore(wanted, labels);
        if (!isThere) await make(docker, full, { cacheFolder, signal, progress });
        progress({ kind: 'done', image: wanted.image, made: !isThere });
      },
    );
  } catch (error) {
    const attempt: ImageAttempt =
      full.source === 'pull' ? full : { ...full, baseImage: baseOf(full) };
    if (options.signal.aborted)
      throw new ImageCancelled(`the image ${wanted.image} was not finished`, { cause: error });
    const minutes = Math.ceil(timeoutMs / 60_000);
    const why = timeout.aborted ? new Error(`it took over ${minutes} min`) : error;
    throw imageFailure(why, attempt);
  }
}

type Making = { cacheFolder: string; signal: AbortSignal; progress: (step: ImageStep) => void };

async function make(docker: Docker, wanted: WantedImage, making: Making): Promise<void> {
  if (wanted.source === 'pull') return pullImage(docker, wanted.image, making);
  const { cacheFolder, signal, progress } = making;
  const info = await dockerCall('info', () => docker.info());
  const architecture = architectureOf(String(info.Architecture));
  await clearLeftovers(cacheFolder);
  // Created under the lock, so that the next process can remove what a crash left.
  const context = join(cacheFolder, CONTEXT);
  try {
    await mkdir(context, { recursive: true, mode: 0o700 });
    for (const name of ['Dockerfile', 'shim.c']) {
      await copyFile(join(sandboxFolder, name), join(context, name));
    }
    const baseImage = baseOf(wanted);
    const { image, buildImage = baseImage, engines = [DEFAULT_ENGINE] } = wanted;
    await collectPackages({
      architecture,
      engines,
      cacheFolder,
      destination: context,
      progress: (text) => progress({ kind: 'packages', text: shortLine(text) }),
      signal,
    });
    const buildArguments = { BASE_IMAGE: baseImage, BUILD_IMAGE: buildImage };
    const build = {
      tag: image,
      buildArguments,
      labels: { [BASE_LABEL]: baseImage, ...engineLabels(engines) },
    };
    await sendBuild(docker, context, build, { signal, progress });
  } finally {
    await rm(context, { recursive: true, force: true });
  }
}

const CONTEXT = 'context';

/** Removes what a killed process left of its build. */
async function clearLeftovers(cacheFolder: string): Promise<void> {
  const names = await readdir(cacheFolder).catch(() => []);
  for (const name of names.filter((one) => one === CONTEXT || one.startsWith('fetch-'))) {
    await rm(join(cacheFolder, name), { recursive: true, force: true });
  }
}

/** Labels of an image; null: there is no such image. */
async function labelsOf(docker: Docker, image: string): Promise<Record<string, string> | null> {
  try {
    const found = await dockerCall('inspect image', () => docker.getImage(image).inspect());
    return found.Config.Labels ?? {};
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/**
 * Whether an existing image satisfies the request: one with another base, or without a requested
 * engine, does not.
 */
function isUsable(labels: Record<string, string>, wanted: WantedImage): boolean {
  if (wanted.source === 'pull') return true;
  if (wanted.force === true) return false;
  const isOnBase = wanted.baseImage === undefined || labels[BASE_LABEL] === wanted.baseImage;
  return isOnBase && (wanted.engines === undefined || hasEngines(labels, wanted.engines));
}

function baseOf({ baseImage = DEFAULT_BASE_IMAGE }: { baseImage?: string }): string {
  return baseImage;
}

/**
 * Keeps engines and base of an existing image when more are requested, because they are in use. A
 * forced build ignores them.
 */
function asBefore(wanted: WantedImage, labels: Record<string, string> | null): WantedImage {
  if (wanted.source === 'pull' || wanted.force === true) return wanted;
  const former = Object.keys(labelledEngines(labels) ?? {}).filter(isKnownEngine);
  const engines = [...new Set([...former, ...(wanted.engines ?? [DEFAULT_ENGINE])])];
  const baseImage = wanted.baseImage ?? labels?.[BASE_LABEL];
  return { ...wanted, engines, ...(baseImage === undefined ? {} : { baseImage }) };
}

function architectureOf(reported: string): SandboxArchitecture {
  if (reported === 'x86_64' || reported === 'amd64') return 'x64';
  if (reported === 'aarch64' || reported === 'arm64') return 'arm64';
  throw new Error(
    `the Docker daemon runs on ${reported}; the engine exists for x86_64 and aarch64`,
  );
}

export function defaultCacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  const base = env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(base, 'switchyard', 'sandbox');
}
