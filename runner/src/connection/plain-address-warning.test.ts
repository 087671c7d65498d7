import { expect, it } from 'vitest';
import { plainAddressWarning } from './plain-address-warning.ts';

it.each([
  'https://sw.example.com',
  'http://localhost:8600',
  'http://127.0.0.1:1',
  'http://[::1]:1',
])('says nothing of %s', (url) => {
  expect(plainAddressWarning(url)).toBeNull();
});

it.each(['http://sw.example.com', 'http://192.168.1.4:8600/base', 'http://localhost.example.com'])(
  'warns of %s',
  (url) => {
    expect(plainAddressWarning(url)).toContain(`at ${new URL(url).host} is reached without`);
  },
);
