import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { missingLockEntries } from './complete-lock.mjs';
import { projectRoot } from './project-root.mjs';

describe('the lock file', () => {
  it.each(['package-lock.json', 'docs/site/package-lock.json'])(
    'serves every platform: %s (npm run lock:complete mends it)',
    (path) => {
      const lock = JSON.parse(readFileSync(`${projectRoot}/${path}`, 'utf8'));
      expect(missingLockEntries(lock)).toEqual({});
    },
  );

  it('gets an entry with version and platform for what the registry did not serve', () => {
    const packages = {
      'node_modules/tool': {
        dev: true,
        optionalDependencies: {
          '@tool/binding-darwin-arm64': '1.2.3',
          '@tool/binding-linux-x64-musl': '1.2.3',
          '@tool/binding-linux-arm-gnueabihf': '1.2.3',
          '@tool/windows-64': '1.2.3',
          '@tool/here': '1.2.3',
          '@tool/nested': '1.2.3',
        },
      },
      'node_modules/@tool/here': {},
      'node_modules/tool/node_modules/@tool/nested': {},
    };
    const common = { version: '1.2.3', dev: true, optional: true };
    expect(missingLockEntries({ packages })).toEqual({
      'node_modules/@tool/binding-darwin-arm64': { ...common, os: ['darwin'], cpu: ['arm64'] },
      'node_modules/@tool/binding-linux-x64-musl': {
        ...common,
        os: ['linux'],
        cpu: ['x64'],
        libc: ['musl'],
      },
      'node_modules/@tool/binding-linux-arm-gnueabihf': {
        ...common,
        os: ['linux'],
        cpu: ['arm'],
        libc: ['glibc'],
      },
      'node_modules/@tool/windows-64': { ...common, os: ['win32'], cpu: ['x64'] },
    });
  });

  it('is not guessed at where a name tells no platform or a version is a range', () => {
    const withOptional = (optionalDependencies: Record<string, string>) => ({
      packages: { 'node_modules/tool': { optionalDependencies } },
    });
    expect(() => missingLockEntries(withOptional({ plain: '1.0.0' }))).toThrow('plain');
    expect(() => missingLockEntries(withOptional({ 'x-linux-x64': '^1.0.0' }))).toThrow('exact');
  });
});
