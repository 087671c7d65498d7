import { randomBytes } from 'node:crypto';
import type { Ids } from '../../ports.ts';

const TIME_DIGITS = 9;
const RANDOM_BYTES = 10;

/** Ids that sort by time: base-36 milliseconds, then 80 random bits. */
export function createIds(nowMs: () => number): Ids {
  return {
    next(kind) {
      const time = nowMs().toString(36).padStart(TIME_DIGITS, '0');
      const random = BigInt(`0x${randomBytes(RANDOM_BYTES).toString('hex')}`)
        .toString(36)
        .padStart(16, '0');
      return `${kind}_${time}${random}`;
    },
    secret: () => randomBytes(32).toString('base64url'),
  };
}
