import { describe, expect, it } from 'vitest';
import { isSignInLink, takeSignInCode } from './sign-in-link.ts';

function take(hash: string) {
  const addresses: string[] = [];
  const history = {
    state: { key: 1 },
    replaceState: (_state: unknown, _title: string, address: string) =>
      void addresses.push(address),
  };
  const code = takeSignInCode({ hash, pathname: '/board', search: '?q=a' }, history);
  return { code, addresses };
}

describe('a sign-in link', () => {
  it('gives its code and leaves none in the address', () => {
    expect(take('#code=a_b-c')).toEqual({ code: 'a_b-c', addresses: ['/board?q=a'] });
    expect(isSignInLink({ hash: '#code=x' })).toBe(true);
  });

  it.each(['', '#', '#code=', '#line-7', '#x=code'])('is not %j', (hash) => {
    expect(take(hash)).toEqual({ code: null, addresses: [] });
    expect(isSignInLink({ hash })).toBe(false);
  });
});
