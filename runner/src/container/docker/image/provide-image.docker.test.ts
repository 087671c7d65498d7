import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ImageCancelled, imageFailure } from './image-failed.ts';
import type { ImageStep } from './image-step.ts';
import { defaultCacheFolder, provideImage } from './provide-image.ts';
import { baseImageHere } from './testing/base-image-here.ts';
import { defaultSandboxImage } from './default-sandbox-image.ts';
import { sendBuild } from './send-build.ts';
import { startTinyRegistry } from './testing/tiny-registry.ts';

/** Names and layers of its own: nothing else on this daemon has them. */
const RUN = randomBytes(6).toString('hex');
const TAG = `switchyard-image-test:${RUN}`;
const docker = new Docker();

const baseImage = await baseImageHere();
const skipped = baseImage === null ? ` (skipped: ${defaultSandboxImage} is not there)` : '';

describe.skipIf(baseImage === null)(
  `providing the sandbox image${skipped}`,
  { timeout: 120_000 },
  () => {
    const base = baseImage ?? '';
    let folder: string;
    let steps: ImageStep[];
    const progress = (step: ImageStep): void => void steps.push(step);
    const signal = new AbortController().signal;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'swy-image-'));
      steps = [];
    });
    afterEach(async () => {
      await docker
        .getImage(TAG)
        .remove()
        .catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    });

    /** Containers and images of this test, layers in between included. */
    async function left(): Promise<string[]> {
      const [containers, images] = await Promise.all([
        docker.listContainers({ all: true }),
        docker.listImages({ all: true }),
      ]);
      const made = await Promise.all(
        images.map(async ({ Id }) => {
          const layers: { CreatedBy: string }[] = await docker
            .getImage(Id)
            .history()
            .catch(() => []);
          return layers.some(({ CreatedBy }) => CreatedBy.includes(RUN)) ? [Id] : [];
        }),
      );
      const running = containers.filter(({ Command }) => Command.includes(RUN));
      return [...running.map(({ Id }) => Id), ...made.flat()];
    }

    async function dockerfile(...lines: string[]): Promise<void> {
      await writeFile(join(folder, 'Dockerfile'), `FROM ${base}\n${lines.join('\n')}\n`);
    }
    const build = { tag: TAG, buildArguments: {}, labels: {} };

    it('builds once for two that want it, with steps that say how far it is', async () => {
      const wanted = { source: 'build', image: TAG, baseImage: base } as const;
      const others: ImageStep[] = [];
      await Promise.all([
        provideImage(docker, wanted, { signal, progress }),
        provideImage(docker, wanted, { signal, progress: (step) => void others.push(step) }),
      ]);
      const [builder, waiter] = steps.some(({ kind }) => kind === 'build')
        ? [steps, others]
        : [others, steps];
      expect(waiter.map(({ kind }) => kind)).toEqual(['waiting', 'done']);
      expect(waiter.at(-1)).toMatchObject({ image: TAG, made: false });
      const kinds = builder.map(({ kind }) => kind).filter((kind) => kind !== 'output');
      expect([...new Set(kinds)]).toEqual(['packages', 'context', 'build', 'done']);
      const numbers = builder.flatMap((step) => (step.kind === 'build' ? [step] : []));
      expect(numbers.at(-1)?.number).toBe(numbers[0]?.total);
      const image = await docker.getImage(TAG).inspect();
      expect(image.Config.User).toBe('10001:10001');
      // On whatever it stands, unless a base is named.
      const anyBase = { source: 'build', image: TAG } as const;
      await provideImage(docker, anyBase, { signal, progress });
      expect(steps.at(-1)).toMatchObject({ kind: 'done', made: false });
      const kept = await readdir(defaultCacheFolder());
      // The folder that is held meanwhile stays.
      expect(kept.filter((name) => !name.endsWith('.tgz'))).toEqual(['lock']);
    });

    it('leaves nothing on the daemon when it is cut off in the middle of a step', async () => {
      await dockerfile(`RUN echo ${RUN} > /first`, `RUN echo begun; : ${RUN}; sleep 60`);
      const stop = new AbortController();
      const sent = sendBuild(docker, folder, build, {
        signal: stop.signal,
        progress(step) {
          progress(step);
          if (step.kind === 'output' && step.text === 'begun') stop.abort();
        },
      });
      await expect(sent).rejects.toThrow('aborted');
      expect(steps.at(-1)).toEqual({ kind: 'output', text: 'begun' });
      await expect.poll(left, { timeout: 10_000 }).toEqual([]);
    });

    it('removes what a build that fails had made, and says the step’s own words', async () => {
      await dockerfile(`RUN echo ${RUN} > /first`, `RUN echo broken >&2; : ${RUN}; exit 7`);
      const sent = sendBuild(docker, folder, build, { signal, progress });
      await expect(sent).rejects.toThrow('returned a non-zero code: 7');
      expect(steps).toContainEqual({ kind: 'output', text: 'broken' });
      await expect.poll(left, { timeout: 10_000 }).toEqual([]);
    });

    it('cuts a line that has no end', async () => {
      await dockerfile(`RUN head -c 300000 /dev/zero | tr '\\0' x; echo; echo ${RUN}`);
      await sendBuild(docker, folder, build, { signal, progress });
      const texts = steps.flatMap((step) => (step.kind === 'output' ? [step.text] : []));
      expect(texts).toContain(RUN);
      expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(300);
    });

    it('gives no variable of this host to a build', async () => {
      process.env['SWITCHYARD_IMAGE_TEST'] = `secret-${RUN}`;
      try {
        await dockerfile('COPY . /context', `RUN env && echo ${RUN}`);
        await sendBuild(docker, folder, build, { signal, progress });
        expect(JSON.stringify(steps)).toContain(RUN);
        expect(JSON.stringify(steps)).not.toContain(`secret-${RUN}`);
      } finally {
        delete process.env['SWITCHYARD_IMAGE_TEST'];
      }
    });

    it('says what to do about a base that cannot be pulled', async () => {
      const absent = '127.0.0.1:9/none:1';
      await writeFile(join(folder, 'Dockerfile'), `FROM ${absent}\n`);
      const words = await sendBuild(docker, folder, build, { signal, progress }).then(
        () => 'built',
        (error: unknown) =>
          imageFailure(error, { source: 'build', image: TAG, baseImage: absent }).message,
      );
      expect(words).toContain(`The registry of ${absent} is out of reach`);
      expect(words).toContain('--base-image');
    });

    it('stops at once when it is cancelled, also while it waits', async () => {
      const stop = new AbortController();
      const wanted = { source: 'build', image: TAG, baseImage: base } as const;
      const options = { signal: stop.signal, cacheFolder: folder };
      const first = provideImage(docker, wanted, {
        ...options,
        // Nothing is in this cache: the packages would be fetched first.
        progress: () => stop.abort(),
      });
      await expect(first).rejects.toThrow(ImageCancelled);
      // The folder that is held meanwhile stays.
      expect(await readdir(folder)).toEqual(['lock']);
    });

    it('pulls a configured image with its progress, without a credential', async () => {
      const content = randomBytes(200_000);
      const registry = await startTinyRegistry({ name: 'file', content });
      const image = `${registry.host}/tiny:1`;
      try {
        const options = { signal, progress, cacheFolder: folder };
        await provideImage(docker, { source: 'pull', image }, options);
        expect(steps[0]).toMatchObject({ kind: 'pull', text: `pulling ${image}` });
        expect(steps.at(-1)).toEqual({ kind: 'done', image, made: true });
        expect(registry.credentials.every((one) => one === undefined)).toBe(true);
        const absent = { source: 'pull', image: `${registry.host}/tiny:2` } as const;
        const failed = await provideImage(docker, absent, options).catch((e: unknown) => String(e));
        expect(failed).toContain(`There is no such image: check the name ${absent.image}`);
      } finally {
        await docker.getImage(image).remove();
        await registry.close();
      }
    });

    it('says what to do when nobody answers at DOCKER_HOST', async () => {
      const nobody = new Docker({ socketPath: join(folder, 'nobody.sock') });
      const wanted = { source: 'pull', image: 'example.test/none:1' } as const;
      const options = { signal, progress, cacheFolder: folder };
      const failed = await provideImage(nobody, wanted, options).catch((error: unknown) => error);
      expect(failed).toMatchObject({ missingPart: true });
      expect(String(failed)).toContain('Start Docker, or set DOCKER_HOST');
    });
  },
);
