import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  serviceEnvironment,
  serviceNodeOptions,
} from '../../control-plane/cli/bootstrap/service-node-options.mjs';
import { recommendedVersion } from '../../control-plane/cli/bootstrap/node-packages.mjs';
import { buildOwnImages, ownImages } from '../support/compose/own-images.ts';

const run = promisify(execFile);
const IMAGES_TIMEOUT_MS = 900_000;
const DOCKER_TIMEOUT_MS = 60_000;
const MAX_BYTES = 200_000_000;

const Config = z.object({
  User: z.string(),
  Env: z.array(z.string()),
  Entrypoint: z.array(z.string()),
  Labels: z.record(z.string(), z.string()),
  StopSignal: z.string(),
  Healthcheck: z.object({ Test: z.array(z.string()) }),
});

async function configOf(image: string): Promise<z.infer<typeof Config>> {
  const words = ['image', 'inspect', '--format', '{{json .Config}}', image];
  const { stdout } = await run('docker', words, { timeout: DOCKER_TIMEOUT_MS });
  return Config.parse(JSON.parse(stdout));
}

/** What a program in an image prints; the root file system cannot be written. */
async function printed(image: string, program: string, ...args: string[]): Promise<string> {
  const words = ['run', '--rm', '--read-only', '--cap-drop', 'ALL', '--entrypoint', program];
  const { stdout } = await run('docker', [...words, image, ...args], {
    timeout: DOCKER_TIMEOUT_MS,
  });
  return stdout.trim();
}

describe('the images of this checkout', () => {
  let name: (target: string) => string;

  beforeAll(async () => {
    const { images, tag } = await ownImages();
    name = (target) => `${images}${target}:${tag}`;
  }, IMAGES_TIMEOUT_MS);

  it.each(['control-plane', 'runner', 'database'])(
    '%s is for another user than root, says its version and is asked for its health',
    async (target) => {
      const config = await configOf(name(target));
      expect(config).toMatchObject({ User: '10001:10001', StopSignal: 'SIGTERM' });
      expect(config.Labels['org.opencontainers.image.version']).toMatch(/^\d+\.\d+\.\d+/);
      expect(config.Healthcheck.Test[0]).toBe('CMD');
    },
  );

  it('the control plane starts with the memory settings of the launcher', async () => {
    const { Entrypoint, Env } = await configOf(name('control-plane'));
    expect(Entrypoint).toEqual(expect.arrayContaining(serviceNodeOptions(recommendedVersion)));
    const settings = Object.entries(serviceEnvironment).map(([key, value]) => `${key}=${value}`);
    expect(Env).toEqual(expect.arrayContaining(settings));
  });

  it('the runner has git and ssh, and neither image a compiler or a package manager', async () => {
    expect(await printed(name('runner'), 'git', '--version')).toMatch(/^git version 2\./);
    for (const tool of ['npm', 'apt-get', 'dpkg', 'gcc', 'perl']) {
      await expect(printed(name('runner'), tool, '--version'), tool).rejects.toThrow();
    }
    await expect(printed(name('control-plane'), 'sh', '-c', 'true')).rejects.toThrow();
  });

  it(
    'are assembled for the other architecture too, with every program and library for it',
    async () => {
      const other = process.arch === 'arm64' ? 'linux/amd64' : 'linux/arm64';
      const built = await buildOwnImages('--platform', other, '--only', 'runner', 'database');
      expect(built).toHaveLength(2);
      for (const image of built) {
        expect(image).toMatchObject({ platform: other, runs: false });
        expect(image.binaries).toBeGreaterThan(100);
        expect(image.compressedBytes).toBeLessThan(MAX_BYTES);
      }
    },
    IMAGES_TIMEOUT_MS,
  );
});
