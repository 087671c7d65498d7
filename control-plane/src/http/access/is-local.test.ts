import { describe, expect, it } from 'vitest';
import { isLocal } from './is-local.ts';

type Facts = { peer?: string | null; url?: string; headers?: Record<string, string> };

function local({
  peer = '127.0.0.1',
  url = 'http://localhost:4000/',
  headers = {},
}: Facts): boolean {
  const origin = { remoteAddress: peer, url, headers: new Headers(headers) };
  return isLocal(origin, ['switchyard.test', 'other.test:8080', 'behind_nginx']);
}

describe('isLocal', () => {
  it.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])('takes the peer %s', (peer) => {
    expect(local({ peer })).toBe(true);
  });

  it.each([
    null,
    '',
    '10.0.0.1',
    '128.0.0.1',
    '::2',
    '127.0.0.1.evil',
    '127.0.0.999',
    '::ffff:10.0.0.1',
  ])('does not take the peer %s', (peer) => {
    expect(local({ peer })).toBe(false);
  });

  it.each(['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Anything', 'X-Real-IP', 'CF-Ray'])(
    'does not take what carries %s',
    (name) => {
      expect(local({ headers: { [name]: '' } })).toBe(false);
    },
  );

  it.each([
    'localhost',
    'localhost:4000',
    '127.0.0.1:4000',
    '[::1]:4000',
    'SWITCHYARD.test',
    'other.test:8080',
    'behind_nginx',
  ])('takes the host %s', (host) => {
    expect(local({ url: `http://${host}/`, headers: { host } })).toBe(true);
  });

  it.each([
    'evil.example',
    'localhost.evil.example',
    'evil@localhost',
    'other.test',
    '',
    'a b',
    '10.0.0.1',
  ])('does not take the host %j', (host) => {
    expect(local({ headers: { host } })).toBe(false);
  });

  it('does not take an address of another name without a Host header', () => {
    expect(local({ url: 'http://evil.example:4000/' })).toBe(false);
  });

  it('does not take what has no address', () => {
    const host = 'localhost, localhost';
    expect(local({ url: `http://${host}/`, headers: { host } })).toBe(false);
  });

  it.each<Record<string, string>>([
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
    { origin: 'http://localhost:4000' },
  ])('takes a page of our own: %j', (headers) => {
    expect(local({ headers: { ...headers, host: 'localhost:4000' } })).toBe(true);
  });

  it.each<Record<string, string>>([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'null' },
    { origin: 'https://evil.example' },
    { origin: 'http://localhost:3000' },
    { origin: 'https://localhost:4000' },
    { origin: 'http://localhost:4000', 'sec-fetch-site': 'cross-site' },
  ])('does not take another page: %j', (headers) => {
    expect(local({ headers: { ...headers, host: 'localhost:4000' } })).toBe(false);
  });
});
