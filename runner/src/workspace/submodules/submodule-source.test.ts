import { describe, expect, it } from 'vitest';
import { submoduleSource } from './submodule-source.ts';

const OVER_HTTPS = 'https://code.test:8443/team/app.git';
const from = (address: string, repositoryUrl = OVER_HTTPS, named: string[] = []) =>
  submoduleSource(address, { repositoryUrl, named: [repositoryUrl, ...named] });
const open = (url: string) => ({ source: { url, submodule: 'public' } });

describe('the address of a submodule', () => {
  it.each([
    ['../lib.git', 'https://code.test:8443/team/lib.git'],
    ['./lib', 'https://code.test:8443/team/app.git/lib'],
    ['../../other/lib', 'https://code.test:8443/other/lib'],
    ['.././../other/lib', 'https://code.test:8443/other/lib'],
    ['https://code.test:8443/x/lib', 'https://code.test:8443/x/lib'],
    ['https://somebody@code.test:8443/x/lib', 'https://code.test:8443/x/lib'],
  ])('%s is one of the same host', (address, url) => {
    expect(from(address)).toEqual(open(url));
  });

  it('counts over ssh as the same repository over https, without a key', () => {
    const own = 'https://code.test/team/app';
    expect(from('git@code.test:x/lib.git', own)).toEqual(open('https://code.test/x/lib.git'));
    expect(from('ssh://git@code.test/x/lib', own)).toEqual(open('https://code.test/x/lib'));
    expect(from('git@Code.Test:x/lib', own)).toEqual(open('https://code.test/x/lib'));
    const overSsh = 'ssh://git@code.test/team/app.git';
    expect(from('https://code.test/x/lib', overSsh)).toEqual(open('https://code.test/x/lib'));
    expect(from('../lib.git', overSsh)).toHaveProperty('refused');
  });

  it('may name a folder only beside a repository that is one', () => {
    expect(from('../lib.git', 'file:///srv/git/app.git')).toEqual(open('file:///srv/git/lib.git'));
    expect(from('/srv/git/lib.git', 'file:///srv/git/app.git')).toHaveProperty('refused');
    expect(from('file:///srv/git/lib.git')).toHaveProperty('refused');
    expect(from('https://code.test/x', 'file:///srv/git/app.git')).toHaveProperty('refused');
  });

  it.each([
    'https://code.test/team/lib.git',
    'https://elsewhere.test/lib.git',
    'git@elsewhere.test:lib.git',
    'git@code.test:x/lib.git',
    'https://code.test:8443/go?to=https://elsewhere.test/',
    '../lib?x=1',
    '../lib#x',
    '../../../lib.git',
    'http://code.test:8443/lib',
    'ext::touch /tmp/x',
    '-u./evil',
    '--upload-pack=evil',
    'https://user:secret@code.test:8443/lib',
    '',
  ])('%s is refused in words that give no secret away', (address) => {
    const found = from(address);
    expect(found).toEqual({ refused: expect.stringMatching(/^its address /) as string });
    expect(JSON.stringify(found)).not.toContain('secret@');
  });

  it('is the one that the operator named, however it is written', () => {
    const named = ['https://elsewhere.test/x/lib'];
    const source = { url: named[0], submodule: 'named' };
    for (const address of ['git@elsewhere.test:x/lib.git', 'https://elsewhere.test/x/lib.git/'])
      expect(from(address, OVER_HTTPS, named)).toEqual({ source });
    expect(from('./', OVER_HTTPS)).toEqual({ source: { url: OVER_HTTPS, submodule: 'named' } });
  });
});
