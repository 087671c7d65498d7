import { describe, expect, it } from 'vitest';
import { npmFailure } from './npm-failure.ts';

const said = (stderr: string): string =>
  npmFailure('tiny@1.0.0', Object.assign(new Error('Command failed'), { code: 1, stderr }));

describe('what npm says of a package that it cannot fetch', () => {
  it.each([
    ['npm error code ENOTFOUND\nnpm error errno ENOTFOUND', /cannot be reached \(ENOTFOUND\)/],
    ['npm ERR! code ECONNREFUSED', /check the network/],
    ['npm error code E503', /cannot be reached/],
    ['npm error code E404\nnpm error 404 Not Found', /does not have it \(E404\).*registry setting/],
    ['npm error code E401', /refused \(E401\).*login/],
    ['npm error code ENOSPC', /no space/],
    ['npm error code EWHATEVER', /npm pack failed \(EWHATEVER\)/],
    ['', /npm pack failed; check/],
  ])('becomes words that say what to do: %j', (stderr, words) => {
    expect(said(stderr)).toMatch(words);
    expect(said(stderr)).toMatch(/^tiny@1\.0\.0: /);
  });

  it('may be that there is no npm, or no time left', () => {
    const missing = Object.assign(new Error('spawn npm ENOENT'), { code: 'ENOENT' });
    expect(npmFailure('tiny@1.0.0', missing)).toContain('npm was not found');
    const killed = Object.assign(new Error('Command failed'), { killed: true });
    expect(npmFailure('tiny@1.0.0', killed)).toContain('in time');
  });
});
