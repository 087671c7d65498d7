import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../connection/testing/fake-clock.ts';
import { engineLabels } from '../container/docker/image/engine-labels.ts';
import { defaultSandboxImage } from '../container/docker/image/default-sandbox-image.ts';
import { pinnedEngine } from '../container/switching-engine.ts';
import type { RunOptions } from '../run-options.ts';
import { StandInDaemon } from '../testing/stand-in-daemon.ts';
import { chooseSandbox, SandboxMissing } from './choose-sandbox.ts';
import type { ChosenSandbox } from './chosen-sandbox.ts';

const MINUTE_MS = 60_000;
const WITH_CODEX = { labels: engineLabels(['codex']) };

describe('the isolation of a runner', { timeout: 60_000 }, () => {
  let dataDir: string;
  let daemon: StandInDaemon;
  let clock: FakeClock;
  let end: AbortController;
  let lines: string[];
  let news: number;
  let sandbox: ChosenSandbox | null;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'swy-sandbox-'));
    daemon = await StandInDaemon.make();
    [clock, end, lines, news, sandbox] = [new FakeClock(), new AbortController(), [], 0, null];
  });
  afterEach(async () => {
    end.abort();
    await sandbox?.containers.close();
    await sandbox?.close();
    await daemon.dispose();
    await rm(dataDir, { recursive: true, force: true });
  });

  const choose = async (more: Partial<RunOptions> = {}): Promise<ChosenSandbox> => {
    const options = { dataDir, slots: 1, sandbox: 'auto' as const, ...more } as RunOptions;
    const say = (text: string) => void lines.push(text);
    const log = { info: say, warn: say, error: say };
    const chosen = await chooseSandbox(options, log, end.signal, daemon.docker);
    sandbox = chosen;
    chosen.onChange(() => (news += 1));
    void chosen.follow(clock, end.signal);
    return chosen;
  };
  /** A minute goes by; what a look found is there once its requests are answered. */
  const afterMinute = async (state: string) => {
    const stop = { at: clock.monotonicMs() + MINUTE_MS };
    await expect
      .poll(
        async () => {
          // Real requests are on their way meanwhile: time goes on when they are answered.
          if (clock.monotonicMs() < stop.at) await clock.advance(5_000);
          return sandbox?.imageSupply.status().state;
        },
        { timeout: 30_000 },
      )
      .toBe(state);
  };
  const shown = () => {
    const { isolation, warnings } = sandbox?.facts() ?? {};
    return { isolation, warnings: warnings?.join() ?? '' };
  };

  it('is Docker within a minute once a daemon answers and the image is there', async () => {
    await choose();
    const before = sandbox && pinnedEngine(sandbox.containers);
    const came: string[] = [];
    sandbox?.onDockerCame(({ isolation }) => void came.push(isolation));
    expect(shown()).toMatchObject({ isolation: 'process' });
    expect(shown().warnings).toContain('It is used within a minute once it answers');
    await daemon.up();
    await afterMinute('missing');
    expect(shown()).toMatchObject({ isolation: 'process' });
    expect(shown().warnings).toContain('the sandbox image is missing');
    expect(news).toBe(1);
    daemon.images.set(defaultSandboxImage, WITH_CODEX);
    await afterMinute('ready');
    expect(shown()).toEqual({ isolation: 'docker', warnings: '' });
    expect(came).toEqual(['docker']);
    expect(sandbox?.facts().engines).toMatchObject([{ name: 'codex' }]);
    expect(sandbox?.facts().isolationLevels).toMatchObject({ default: 'container' });
    expect(news).toBe(2);
    // What began as a process goes on as one.
    expect(sandbox && pinnedEngine(sandbox.containers, 'process')).toBe(before);
  });

  it('never becomes weaker by itself: nothing is taken while Docker or its image is gone', async () => {
    daemon.images.set(defaultSandboxImage, WITH_CODEX);
    await daemon.up();
    const chosen = await choose();
    const engine = pinnedEngine(chosen.containers);
    expect([chosen.isClosed(), chosen.awaitEngine(undefined)]).toEqual([false, null]);
    daemon.images.clear();
    await afterMinute('missing');
    expect(shown()).toMatchObject({ isolation: 'docker' });
    expect(shown().warnings).toMatch(/takes no new work.*image is missing.*--sandbox process/);
    expect(chosen.isClosed()).toBe(true);
    expect(chosen.awaitEngine(undefined)).toContain('takes no new work');
    await daemon.down();
    await afterMinute('unavailable');
    expect(shown().warnings).toMatch(/takes no new work.*Docker is gone \(.*no daemon answers/);
    daemon.images.set(defaultSandboxImage, WITH_CODEX);
    await daemon.up();
    await afterMinute('ready');
    expect(shown()).toEqual({ isolation: 'docker', warnings: '' });
    expect([chosen.isClosed(), chosen.awaitEngine(undefined)]).toEqual([false, null]);
    // Containers stay in the hands that they were in.
    expect(pinnedEngine(chosen.containers)).toBe(engine);
  });

  it('tells runtimes that the daemon has since', async () => {
    daemon.images.set(defaultSandboxImage, WITH_CODEX);
    await daemon.up();
    await choose();
    daemon.info = { ...daemon.info, Runtimes: { runc: {}, runsc: { path: 'runsc' } } };
    const { looks } = daemon;
    await expect
      .poll(async () => {
        await clock.advance(5_000);
        return daemon.looks - looks;
      })
      .toBeGreaterThan(2);
    expect(sandbox?.facts().isolationLevels.runtimes).toHaveProperty('runsc');
    expect(news).toBe(1);
  });

  it('goes on looking when the news could not be told once', async () => {
    daemon.images.set(defaultSandboxImage, WITH_CODEX);
    await daemon.up();
    const chosen = await choose();
    chosen.onChange(() => {
      throw new Error('the journal cannot be read');
    });
    daemon.images.clear();
    await expect
      .poll(async () => {
        await clock.advance(5_000);
        return chosen.isClosed();
      })
      .toBe(true);
    chosen.onChange(() => undefined);
    daemon.images.set(defaultSandboxImage, WITH_CODEX);
    await expect
      .poll(async () => {
        await clock.advance(5_000);
        return chosen.isClosed();
      })
      .toBe(false);
  });

  it('tells what an image that was built again has, and what another daemon lacks', async () => {
    daemon.images.set(defaultSandboxImage, WITH_CODEX);
    await daemon.up();
    await choose();
    const names = () => sandbox?.facts().engines?.map(({ name }) => name);
    daemon.images.set(defaultSandboxImage, { labels: engineLabels(['codex', 'opencode']) });
    daemon.info = { ...daemon.info, SecurityOptions: [] };
    await expect
      .poll(async () => {
        await clock.advance(5_000);
        return names();
      })
      .toEqual(['codex', 'opencode']);
    expect(shown().warnings).toContain('filters no system calls');
    const gap = lines.filter((line) => line.includes('filters no system calls'));
    const { looks } = daemon;
    await expect
      .poll(async () => {
        await clock.advance(5_000);
        return daemon.looks - looks;
      })
      .toBeGreaterThan(2);
    // What stays as it is is said once.
    expect(gap).toHaveLength(1);
    expect(lines.filter((line) => line.includes('filters no system calls'))).toEqual(gap);
    expect(news).toBe(1);
  });

  it('warns of what protects less, never of events that were lost for a moment', async () => {
    daemon.images.set(defaultSandboxImage, WITH_CODEX);
    await daemon.up();
    await choose();
    daemon.cutsEvents = true;
    const said: string[] = [];
    await expect
      .poll(
        async () => {
          await clock.advance(5_000);
          said.push(shown().warnings);
          return daemon.cuts;
        },
        { timeout: 30_000 },
      )
      .toBeGreaterThan(5);
    expect(said.join('')).toBe('');
    expect(news).toBe(0);
  });

  it('looks for nothing where processes were asked for, and waits for no daemon to stop', async () => {
    await daemon.up();
    daemon.images.set(defaultSandboxImage, WITH_CODEX);
    await choose({ sandbox: 'process' });
    await clock.advance(MINUTE_MS);
    expect(await sandbox?.imageSupply.begin()).toMatchObject({ state: 'unavailable' });
    expect([shown().isolation, daemon.looks]).toEqual(['process', 0]);
    await expect(choose({ sandbox: 'docker', image: 'none:1' })).rejects.toThrow(SandboxMissing);
  });

  it('builds on bases alone that the operator named', async () => {
    await daemon.up();
    await choose({ baseImage: 'team/debian:12', allowImages: ['mirror.test/*'] });
    expect(sandbox?.imageSupply.status()).toMatchObject({ baseImage: 'team/debian:12' });
    const named = (baseImage: string) => sandbox?.imageSupply.begin({ baseImage });
    await expect(named('postgres:17')).rejects.toThrow('start it with --base-image postgres:17');
    // A build pulls what it stands on: a prefix names no image to fetch.
    await expect(named('mirror.test/any:1')).rejects.toThrow('--base-image mirror.test/any:1');
    await choose({ image: 'own:1' });
    await expect(named('debian:bookworm-slim')).rejects.toThrow('pulls its sandbox image own:1');
    expect(sandbox?.imageSupply.status()).toMatchObject({ baseImage: null });
  });
});
