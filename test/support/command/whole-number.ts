import { WrongUse } from './wrong-use.ts';

/**
 * Reads a flag's value.
 *
 * @param name as it is typed, with its dashes
 * @throws WrongUse unless it is digits for a number from 1 to `max`
 */
export function wholeNumber(name: string, text: string, max: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > max) {
    throw new WrongUse(`${name} takes a whole number from 1 to ${max}`);
  }
  return value;
}
