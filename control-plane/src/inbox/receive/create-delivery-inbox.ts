import { AppError } from '../../errors.ts';
import type { NewDelivery } from './store-delivery.ts';

/** Deliveries that one write collects at most. */
const MAX_WAITING = 64;
/** Longest wait for further deliveries before a write. */
const MAX_WAIT_MS = 5;
/**
 * Longest wait for a write. Senders give up after ten seconds, though the delivery may still be
 * stored.
 */
const STORE_TIMEOUT_MS = 15_000;

/**
 * Stores the delivery that `read` returns; true when it is new. Rethrows errors of reading and
 * storing.
 */
export type DeliveryInbox = (read: () => Promise<NewDelivery>) => Promise<boolean>;
type Waiting = {
  delivery: NewDelivery;
  stored(isNew: boolean): void;
  failed(error: unknown): void;
};

/**
 * Collects deliveries that arrive at the same time into one write: each write waits for the disk,
 * and in a burst signatures are verified one by one. A single delivery is written at once.
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
 * Limits the wait for a write that another request may perform. A Worker aborts a request that
 * waits without its own timer, so each wait has one.
 */
async function withinTime(stored: Promise<boolean>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, fail) => {
    const message = 'the delivery was not stored in time; send it again';
    const error = new AppError('unavailable', message, { headers: { 'Retry-After': '5' } });
    timer = setTimeout(() => fail(error), STORE_TIMEOUT_MS);
  });
  try {
    return await Promise.race([stored, late]);
  } finally {
    clearTimeout(timer);
  }
}
