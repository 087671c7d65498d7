import { expect, test } from 'vitest';
import { wholeNumber } from './whole-number.ts';
import { isWrongUse, WrongUse } from './wrong-use.ts';

test('takes digits within the bounds', () => {
  expect(wholeNumber('--kills', '1', 20)).toBe(1);
  expect(wholeNumber('--kills', '20', 20)).toBe(20);
});

test.each(['', '0', '21', '-1', '1.5', '1e1', '0x5', ' 5', 'five'])('refuses %j', (text) => {
  expect(() => wholeNumber('--kills', text, 20)).toThrow(
    new WrongUse('--kills takes a whole number from 1 to 20'),
  );
});

test('an error of the command itself is no wrong use', () => {
  expect(isWrongUse(new WrongUse('--kills'))).toBe(true);
  expect(isWrongUse(Object.assign(new Error('x'), { code: 'ERR_PARSE_ARGS_UNKNOWN_OPTION' }))).toBe(
    true,
  );
  expect(isWrongUse(Object.assign(new Error('x'), { code: 'ENOENT' }))).toBe(false);
});
