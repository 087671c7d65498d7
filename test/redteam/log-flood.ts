import { expect } from 'vitest';
import { defaultSandboxImage } from '../../runner/src/container/docker/image/default-sandbox-image.ts';
import type { Attempt } from './attempts.ts';
import type { Row } from './table.ts';
import { labelsOf, type World } from './world.ts';

const FLOOD_BYTES = 8 * 1024 * 1024;
/** Of everything that is kept of an attempt with such a command. */
const KEPT_BYTES = 1024 * 1024;

export const FLOOD = `yes 'nobody reads all of this' | head -c ${FLOOD_BYTES}`;

/** A command that never stops talking costs nobody else; where nothing cuts it, all of it is kept. */
export async function tryFlood(world: World, attempt: Attempt): Promise<Row> {
  const { status, events } = attempt;
  expect(status).toBe('completed');
  const shown = /^item \{"state":"ended".*"type":"command".*nobody reads all of this\\n/;
  expect(events.some((text) => shown.test(text))).toBe(true);
  const kept = events.reduce((sum, text) => sum + text.length, 0);
  expect(kept).toBeLessThan(KEPT_BYTES);
  const container = await world.docker.createContainer({
    Image: defaultSandboxImage,
    Entrypoint: ['sh', '-c', FLOOD],
    Labels: labelsOf(world.id),
    HostConfig: { NetworkMode: 'none', LogConfig: { Type: 'json-file', Config: {} } },
  });
  try {
    await container.start();
    await container.wait();
    const log = await container.logs({ stdout: true });
    expect(log.length, 'its control').toBeGreaterThanOrEqual(FLOOD_BYTES);
  } finally {
    await container.remove({ force: true, v: true });
  }
  return {
    attempt: 'log flood',
    stoppedBy: 'a size limit of each event',
    event: 'item',
    control: 'succeeded',
  };
}
