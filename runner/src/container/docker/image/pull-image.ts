import type Docker from 'dockerode';
import { dockerCall } from '../daemon/docker-call.ts';
import { daemonMessages } from './daemon-messages.ts';
import type { ImageStep } from './image-step.ts';
import { shortLine } from './image-step.ts';

/** The daemon queries the registry before it begins its response. */
const ANSWER_TIMEOUT_MS = 2 * 60_000;

/**
 * Makes the daemon pull an image without credentials. A layer counts in the percentage once its
 * size is known. Rejects with the daemon's message, or with the signal's reason.
 */
export async function pullImage(
  docker: Docker,
  image: string,
  { signal, progress }: { signal: AbortSignal; progress: (step: ImageStep) => void },
): Promise<void> {
  signal.throwIfAborted();
  progress({ kind: 'pull', text: `pulling ${image}`, percent: null });
  const layers = new Map<string, { current: number; total: number }>();
  let shown = -1;
  try {
    const request = () => docker.pull(withTag(image), { abortSignal: signal });
    const answer = await dockerCall('pull image', request, ANSWER_TIMEOUT_MS);
    for await (const { status = '', id, progressDetail, error } of daemonMessages(answer)) {
      if (error !== undefined) throw new Error(error.trim());
      const { current, total } = progressDetail ?? {};
      if (id !== undefined && status === 'Downloading' && total !== undefined)
        layers.set(id, { current: current ?? 0, total });
      const layer = layers.get(id ?? '');
      if (layer !== undefined && /^(Download complete|Pull complete|Extracting)$/.test(status))
        layer.current = layer.total;
      const percent = percentOf([...layers.values()]);
      if (percent === null || percent <= shown) continue;
      shown = percent;
      progress({ kind: 'pull', text: shortLine(`pulling ${image}`), percent });
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
  signal.throwIfAborted();
}

/** Adds a tag; without one the daemon would pull all tags. */
function withTag(image: string): string {
  const name = image.slice(image.lastIndexOf('/') + 1);
  return name.includes(':') || name.includes('@') ? image : `${image}:latest`;
}

function percentOf(layers: readonly { current: number; total: number }[]): number | null {
  const total = layers.reduce((sum, layer) => sum + layer.total, 0);
  if (total === 0) return null;
  const current = layers.reduce((sum, layer) => sum + layer.current, 0);
  return Math.min(100, Math.floor((100 * current) / total));
}
