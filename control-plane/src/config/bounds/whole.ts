import { z } from 'zod';

/** A whole number, of at least `min` and at most `max`. */
export function whole(min: number, max?: number) {
  const least = z.int().min(min);
  return max === undefined ? least : least.max(max);
}
