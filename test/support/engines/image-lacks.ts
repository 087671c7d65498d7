import Docker from 'dockerode';
import {
  hasEngines,
  labelledEngines,
} from '../../../runner/src/container/docker/image/engine-labels.ts';
import { defaultSandboxImage } from '../../../runner/src/container/docker/image/default-sandbox-image.ts';

const TIMEOUT_MS = 20_000;

/** Why a sandbox image cannot run agents of all these engines; null: it can. */
export async function imageLacks(
  engines: readonly string[],
  image: string = defaultSandboxImage,
): Promise<string | null> {
  const advice = `run "npm run sandbox:build -- --engine codex,${engines.join(',')}"`;
  try {
    const docker = new Docker({ timeout: TIMEOUT_MS });
    const { Config } = await docker.getImage(image).inspect();
    if (hasEngines(Config.Labels, engines)) return null;
    const found = Object.keys(labelledEngines(Config.Labels) ?? {}).join(', ');
    return `the image has only ${found}: ${advice}`;
  } catch (error) {
    return `no sandbox image (${String(error)}): ${advice}`;
  }
}
