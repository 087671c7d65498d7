import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deferred } from '@switchyard/shared/deferred';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EnginePart, enginePart, engineParts, packagesFor } from './engine-parts.ts';
import { fetchPackage } from './fetch-package.ts';
import { holdFolderLock } from './hold-folder-lock.ts';
import { hostPlatform, hostProblem, partFolder } from './host-problem.ts';
import { hostProgram } from './host-program.ts';
import { imageProgram } from './image-program.ts';
import { installPart, LicenceNotAccepted, lockOfPart } from './install-part.ts';

let folder: string;
let env: NodeJS.ProcessEnv;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swy-parts-'));
  env = { SWITCHYARD_ENGINES: join(folder, 'engines') };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** What stands there beside the locks. */
async function inEngines(): Promise<string[]> {
  const entries = await readdir(join(folder, 'engines'));
  return entries.filter((name) => name !== '.locks');
}

/** A part of one small package of our own: npm packs a folder as it packs a name. */
async function tinyPart(change: Partial<EnginePart> = {}): Promise<EnginePart> {
  const source = join(folder, 'tiny');
  await mkdir(join(source, 'bin'), { recursive: true });
  const manifest = { name: 'tiny', version: '1.0.0', scripts: { postinstall: 'exit 1' } };
  await writeFile(join(source, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(source, 'bin', 'tiny'), '#!/bin/sh\necho tiny\n');
  await chmod(join(source, 'bin', 'tiny'), 0o755);
  const pin = { package: `file:${source}`, integrity: 'sha512-none' };
  const options = { cacheFolder: join(folder, 'cache'), progress: () => undefined };
  const refused = await fetchPackage(pin, options).catch((error: unknown) => String(error));
  const integrity = /integrity is (sha512-\S+),/.exec(refused)?.[1] ?? '';
  const own = { ...pin, integrity, folder: '.', licence: 'MIT' };
  return {
    name: 'tiny',
    version: '1.0.0',
    title: 'Tiny',
    program: 'bin/tiny',
    args: ['acp'],
    packages: [],
    platforms: { [hostPlatform()]: [own] },
    unreadable: {},
    licenceNotice: null,
    publishable: true,
    sizeMiB: 1,
    ...change,
  };
}

describe('an engine on this host', () => {
  const progress = (): void => undefined;

  it('is installed whole or not at all, and only once', async () => {
    const part = await tinyPart();
    expect(hostProblem(part, env)).toContain('engine install tiny');
    const lines: string[] = [];
    const how = { progress: (line: string) => void lines.push(line), acceptsLicence: false, env };
    const both = await Promise.all([installPart(part, how), installPart(part, how)]);
    expect(both).toEqual([partFolder(part, env), partFolder(part, env)]);
    expect(hostProblem(part, env)).toBeNull();
    expect(await inEngines()).toEqual(['tiny-1.0.0']);
    lines.length = 0;
    await installPart(part, how);
    expect(lines).toEqual([`tiny 1.0.0 is installed in ${partFolder(part, env)}`]);
  }, 60_000);

  it('leaves nothing of a package that is not the pinned one', async () => {
    const part = await tinyPart();
    const [pin] = packagesFor(part, hostPlatform());
    if (pin === undefined) throw new Error('no package');
    const wrong = { ...pin, integrity: `sha512-${'A'.repeat(86)}==` };
    const tampered = { ...part, platforms: { [hostPlatform()]: [wrong] } };
    const installing = installPart(tampered, { progress, acceptsLicence: false, env });
    await expect(installing).rejects.toThrow('pinned is');
    expect(await inEngines()).toEqual([]);
  }, 60_000);

  it('comes from a given folder, whatever the archives are called, or says what is missing there', async () => {
    const part = await tinyPart();
    const [pin] = packagesFor(part, hostPlatform());
    if (pin === undefined) throw new Error('no package');
    const from = join(folder, 'given');
    const fetched = await fetchPackage(pin, { cacheFolder: from, progress });
    const elsewhere = { ...pin, package: 'gone@1.0.0' };
    const offline = { ...part, platforms: { [hostPlatform()]: [elsewhere] } };
    await rename(fetched, join(from, 'any-name.tgz'));
    await installPart(offline, { progress, acceptsLicence: false, env, from });
    expect(hostProblem(offline, env)).toBeNull();
    const other = { ...offline, version: '2.0.0' };
    await writeFile(join(from, 'any-name.tgz'), 'cut off');
    const given = { ...env, SWITCHYARD_ENGINE_ARCHIVES: from };
    const missing = installPart(other, { progress, acceptsLicence: false, env: given });
    await expect(missing).rejects.toThrow(/has no archive of gone@1\.0\.0.*npm pack gone@1\.0\.0/);
    expect(await inEngines()).toEqual(['tiny-1.0.0']);
  }, 60_000);

  it('leaves nothing of an installation that was killed, and waits for one that goes on', async () => {
    const part = await tinyPart();
    await mkdir(join(folder, 'engines', 'tiny-1.0.0.aBcDeF', 'bin'), { recursive: true });
    const [begun, over] = [deferred<void>(), deferred<void>()];
    const never = new AbortController().signal;
    const other = holdFolderLock(
      lockOfPart(part, env),
      { signal: never, waiting: () => undefined },
      () => {
        begun.resolve();
        return over.promise;
      },
    );
    await begun.promise;
    const stop = new AbortController();
    const progressed = (line: string): void => {
      if (line.includes('another process')) stop.abort();
    };
    const how = { acceptsLicence: false, env };
    const waiting = installPart(part, { ...how, progress: progressed, signal: stop.signal });
    await expect(waiting).rejects.toThrow('aborted');
    over.resolve();
    await other;
    await installPart(part, { ...how, progress });
    expect(await inEngines()).toEqual(['tiny-1.0.0']);
  }, 60_000);

  it('says that there is no space before anything is fetched', async () => {
    const part = await tinyPart({ sizeMiB: 2 ** 40 });
    const installing = installPart(part, { progress, acceptsLicence: false, env });
    await expect(installing).rejects.toThrow(/MiB free: free some, or .*SWITCHYARD_ENGINES/);
    expect(await inEngines()).toEqual([]);
  });

  it('is not fetched where it cannot be put, which says what to do', async () => {
    const part = await tinyPart();
    await writeFile(join(folder, 'a-file'), '');
    const elsewhere = { SWITCHYARD_ENGINES: join(folder, 'a-file', 'engines') };
    const installing = installPart(part, { progress, acceptsLicence: false, env: elsewhere });
    await expect(installing).rejects.toThrow(/cannot be written .*SWITCHYARD_ENGINES/);
  });

  it('that is proprietary is installed after its terms were accepted', async () => {
    const part = await tinyPart({ licenceNotice: 'The terms of Tiny.', publishable: false });
    const refused = installPart(part, { progress, acceptsLicence: false, env });
    await expect(refused).rejects.toBeInstanceOf(LicenceNotAccepted);
    await expect(refused).rejects.toThrow('The terms of Tiny.');
    await installPart(part, { progress, acceptsLicence: true, env });
    expect(hostProblem(part, env)).toBeNull();
  }, 60_000);

  it('says what to do where there is no build of it, or Node is too old', async () => {
    const part = await tinyPart({ platforms: { 'plan9-x64': [] } });
    const installing = installPart(part, { progress, acceptsLicence: false, env });
    await expect(installing).rejects.toThrow('no build for');
    const modern = await tinyPart({ nodeMajor: 99 });
    await installPart(modern, { progress, acceptsLicence: false, env });
    expect(hostProblem(modern, env)).toContain('needs Node 99');
  }, 60_000);
});

describe('the engines that can be installed', () => {
  it('are pinned by content on every platform, and start by a command', () => {
    for (const part of engineParts()) {
      for (const platform of Object.keys(part.platforms)) {
        const pins = packagesFor(part, platform);
        expect(pins.map(({ folder: below }) => below)).toContain('.');
        for (const { package: name, integrity, licence } of pins) {
          expect(name).toMatch(/^@?[a-z0-9/.-]+@\d+\.\d+\.\d+(-[a-z0-9-]+)?$/);
          expect(integrity).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
          expect(licence).not.toBe('');
        }
      }
      const below = part.name === 'codex' ? 'engine' : `engines/${part.name}`;
      expect(imageProgram(part.name)).toContain(`/opt/switchyard/${below}/${part.program}`);
      // What `npm ci` put into this checkout is there without an installation.
      const isHere = part.dependencies !== undefined;
      expect(hostProgram(part.name, env) !== null, part.name).toBe(isHere);
    }
    expect(imageProgram('opencode')).toEqual([
      '/opt/switchyard/engines/opencode/bin/opencode',
      'acp',
    ]);
    expect(() => imageProgram('nope')).toThrow('no agent engine nope');
  });

  it('that are proprietary have terms to accept, and their images stay private', () => {
    expect(enginePart('claude')).toMatchObject({ publishable: false });
    expect(enginePart('claude')?.licenceNotice).toContain('must not be published');
    expect(enginePart('opencode')).toMatchObject({ publishable: true, licenceNotice: null });
  });
});
