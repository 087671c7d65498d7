import type { ContainerOwner } from '../container-engine.ts';

/** `engine` runs an attempt; `command` is a short helper of one. */
export type ContainerRole = 'engine' | 'command';

const SAFE_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/;
export const SERVICE_LABEL = 'switchyard.service=switchyard';

/**
 * Name of an attempt's container, derived from its owner, so that a create whose answer was lost
 * finds its container again. Throws on an id that Docker would not accept.
 */
export function containerName(owner: ContainerOwner, purpose?: string): string {
  for (const part of [owner.attemptId, purpose ?? 'x']) {
    if (!SAFE_NAME.test(part))
      throw new Error(`not usable in a container name: ${JSON.stringify(part)}`);
  }
  const name = `switchyard-${owner.attemptId}-${owner.epoch}`;
  return purpose === undefined ? name : `${name}-${purpose}`;
}

/** Labels by which a restarted runner finds its containers. */
export function containerLabels(
  owner: ContainerOwner,
  role: ContainerRole,
): Record<string, string> {
  return {
    'switchyard.service': 'switchyard',
    'switchyard.role': role,
    'switchyard.runner_id': owner.runnerId,
    'switchyard.attempt': owner.attemptId,
    'switchyard.epoch': String(owner.epoch),
    'switchyard.boot_id': owner.bootId,
  };
}

/** The owner from a container's labels; null when they are not this product's. */
export function ownerFromLabels(labels: Readonly<Record<string, string>>): ContainerOwner | null {
  const runnerId = labels['switchyard.runner_id'];
  const attemptId = labels['switchyard.attempt'];
  const epoch = Number(labels['switchyard.epoch']);
  const bootId = labels['switchyard.boot_id'] ?? '';
  if (!runnerId || !attemptId || !Number.isSafeInteger(epoch)) return null;
  return { runnerId, attemptId, epoch, bootId };
}
