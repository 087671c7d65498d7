import { AppError } from '../../errors.ts';
import type { NewDelivery } from './store-delivery.ts';

/** What came together is stored together; more than these are not held back. */
const MAX_WAITING = 64;
/** A slow sender must not hold up the others for longer. */
const MAX_WAIT_MS = 5;
/** Senders give up after ten seconds; the delivery may be stored all the same. */
const STORE_TIMEOUT_MS = 15_000;

/** Stores what `read` gives; true when it is new. Throws what reading or storing throws. */
export type DeliveryInbox = (read: () => Promise<NewDelivery>) => Promise<boolean>;
type Waiting = {
  delivery: NewDelivery;
  stored(isNew: boolean): void;
  failed(error: unknown): void;
};

/**
 * Gathers deliveries that are read at the same time into one write: each write waits for the disk,
 * and in a burst each signature is ready at a time of its own. One that comes alone does not wait.
 */
export function createDeliveryInbox(
  storeAll: (deliveries: readonly NewDelivery[]) => Promise<boolean[]>,
): DeliveryInbox {
  let reading = 0;
  let waiting: Waiting[] = [];
  let limit: ReturnType<typeof setTimeout> | null = null;

  function flush(): void {
    if (limit !== null) clearTimeout(limit);
    limit = null;
    const group = waiting;
    waiting = [];
    if (group.length === 0) return;
    storeAll(group.map(({ delivery }) => delivery)).then(
      (areNew) => group.forEach(({ stored }, index) => stored(areNew[index] ?? false)),
      (error: unknown) => group.forEach(({ failed }) => failed(error)),
    );
  }

  function add(delivery: NewDelivery): Promise<boolean> {
    const stored = new Promise<boolean>((stored, failed) => {
      waiting.push({ delivery, stored, failed });
      if (waiting.length >= MAX_WAITING) flush();
      else limit ??= setTimeout(flush, MAX_WAIT_MS);
    });
    return withinTime(stored);
  }

  return async (read) => {
    reading += 1;
    let stored: Promise<boolean> | null = null;
    try {
      stored = add(await read());
    } finally {
      reading -= 1;
      if (reading === 0) flush();
    }
    return stored;
  };
}

/**
 * Another request may do the write. Workers abandon one that waits for nothing of its own, so each
 * has a timer, which also ends the wait for a write that does not end.
 */
async function withinTime(stored: Promise<boolean>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, fail) => {
    const words = 'the delivery was not stored in time; send it again';
    const error = new AppError('unavailable', words, { headers: { 'Retry-After': '5' } });
    timer = setTimeout(() => fail(error), STORE_TIMEOUT_MS);
  });
  try {
    return await Promise.race([stored, late]);
  } finally {
    clearTimeout(timer);
  }
}
