import { z } from 'zod';

/** A whole number from `min` to `max`. */
export function whole(min: number, max?: number) {
  const least = z.int().min(min);
  return max === undefined ? least : least.max(max);
}
