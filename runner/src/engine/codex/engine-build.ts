import { dirname, join } from 'node:path';
import type { EngineHomeSpec } from '../agent-engine.ts';
import { DEFAULT_PART } from '../parts/engine-parts.ts';
import { imageProgram } from '../parts/image-program.ts';
import { launchProgram } from '../parts/launch-program.ts';

/** Path of the engine in the sandbox image; the rest of its build is beside `bin`. */
export const IMAGE_BINARY_PATH = imageProgram(DEFAULT_PART)[0] ?? '';

/** The engine's program, and the folder of its build with programs that it needs. */
export type EngineBuild = { binaryPath: string; toolsPath: string };

/** Finds the engine in the image or on this host. Throws as `launchProgram` does. */
export function engineBuild(spec: Pick<EngineHomeSpec, 'sandboxed' | 'isRunning'>): EngineBuild {
  const [binaryPath = ''] = launchProgram(DEFAULT_PART, spec);
  return { binaryPath, toolsPath: join(dirname(binaryPath), '..', 'codex-path') };
}
