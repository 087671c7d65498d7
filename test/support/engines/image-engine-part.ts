import { DockerContainerEngine } from '../../../runner/src/container/docker/docker-engine.ts';
import { labelledEngines } from '../../../runner/src/container/docker/image/engine-labels.ts';
import type { SystemPart } from '../system-part.ts';

/** Whether a sandbox image is there and has an engine, for tests of it in containers. */
export async function imageEnginePart(image: string, name: string): Promise<SystemPart> {
  const containers = new DockerContainerEngine({ image });
  try {
    const { labels } = await containers.check();
    if (labelledEngines(labels)?.[name] !== undefined) return { available: true, detail: image };
    const advice = `npm run sandbox:build -- --engine codex,${name}`;
    return { available: false, reason: `${image} has no engine ${name}: ${advice}` };
  } catch (error) {
    return { available: false, reason: String(error) };
  } finally {
    await containers.close();
  }
}
