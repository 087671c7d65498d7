import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { EngineMissing } from '../parts/engine-missing.ts';

/** As configurations and images name it. */
export const ENGINE_NAME = 'codex';

/** Where the sandbox image keeps the engine; the rest of its build lies beside `bin`. */
export const IMAGE_BINARY_PATH = '/opt/switchyard/engine/bin/codex';

/** The engine's npm package per platform and the folder of its build inside. */
const BUILDS: Record<string, { packageName: string; target: string }> = {
  'linux-x64': { packageName: '@openai/codex-linux-x64', target: 'x86_64-unknown-linux-musl' },
  'linux-arm64': { packageName: '@openai/codex-linux-arm64', target: 'aarch64-unknown-linux-musl' },
  'darwin-x64': { packageName: '@openai/codex-darwin-x64', target: 'x86_64-apple-darwin' },
  'darwin-arm64': { packageName: '@openai/codex-darwin-arm64', target: 'aarch64-apple-darwin' },
};

/** A host folder with the engine's build: `bin/codex` and what it expects beside it. */
export type HostEngine = { binaryPath: string; toolsPath: string };

/**
 * Finds the engine that npm installed for this machine. Throws `EngineMissing` with what to do when
 * there is no build for the platform or its optional package is missing.
 */
export function hostEngine(platform = process.platform, arch = process.arch): HostEngine {
  const build = BUILDS[`${platform}-${arch}`];
  if (!build) {
    throw new EngineMissing(
      `The agent engine has no build for ${platform} ${arch}; run agents in Docker instead.`,
    );
  }
  const packageFolder = resolvePackage(build.packageName);
  const folder = packageFolder && join(packageFolder, 'vendor', build.target);
  if (!folder || !existsSync(join(folder, 'bin', 'codex'))) {
    throw new EngineMissing(
      `The agent engine's package ${build.packageName} is not installed; ` +
        'install Switchyard again, without --omit=optional, or run agents in Docker.',
    );
  }
  return { binaryPath: join(folder, 'bin', 'codex'), toolsPath: join(folder, 'codex-path') };
}

/** The version that npm installed, without starting it. Throws as `hostEngine` does. */
export function hostEngineVersion(): string {
  hostEngine();
  const manifest: unknown = createRequire(import.meta.url)('@openai/codex/package.json');
  return (manifest as { version: string }).version;
}

/** The build is an optional dependency of `@openai/codex`, so it is looked up from there. */
function resolvePackage(packageName: string): string | null {
  const here = createRequire(import.meta.url);
  try {
    const fromEngine = createRequire(here.resolve('@openai/codex/package.json'));
    return dirname(fromEngine.resolve(`${packageName}/package.json`));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}
