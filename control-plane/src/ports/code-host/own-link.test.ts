import { describe, expect, it } from 'vitest';
import { ownLink } from './own-link.ts';

describe('a stored link to a pull request', () => {
  it.each([
    ['http://127.0.0.1:4000/pull-requests/pr_01k', 'http://127.0.0.1:4321'],
    ['https://old.example/pull-requests/pr_01k', 'http://127.0.0.1:4321/'],
    ['/pull-requests/pr_01k', 'http://127.0.0.1:4321'],
  ])('follows the service to its present address: %s', (link, origin) => {
    expect(ownLink(origin, link)).toBe('http://127.0.0.1:4321/pull-requests/pr_01k');
  });

  it('is a path while the service does not know its address', () => {
    const link = 'http://127.0.0.1:4000/pull-requests/pr_01k';
    expect(ownLink(null, link)).toBe('/pull-requests/pr_01k');
  });

  it.each(['https://example.com/team/shop/pull/7', 'https://example.com/x/pull-requests/pr_1', ''])(
    'stays when it leads elsewhere: %j',
    (link) => {
      expect(ownLink('http://127.0.0.1:4321', link)).toBe(link);
    },
  );
});
