import { describe, expect, it } from 'vitest';
import { repositoryUrlProblem, shownRepository } from './repository-url.ts';

describe('repositoryUrlProblem', () => {
  it.each([
    'https://git.example.com/team/app.git',
    'https://team@git.example.com/app',
    'ssh://git@git.example.com:2222/team/app.git',
    'file:///srv/git/app.git',
    'file:///srv/my%20repos/app.git',
  ])('accepts %s', (url) => {
    expect(repositoryUrlProblem(url)).toBeNull();
  });

  it.each([
    '',
    '-oProxyCommand=touch',
    '--upload-pack=x',
    'git@git.example.com:team/app.git',
    'http://git.example.com/app',
    'git://git.example.com/app',
    'ext::sh -c x',
    '/srv/git/app.git',
    'file://host/srv/app.git',
    'file:relative',
    'file:///',
    'file:///srv/a%0ab',
    'https://git.example.com/a\nb',
    'https://git.example.com/a b',
    'https://git.example.com/\u202eapp',
    'https://user:secret@git.example.com/app',
    'https://ghp_0123456789@git.example.com/app',
    'ssh://-oProxyCommand=x/app',
    'ssh://-x@git.example.com/app',
    'https://',
    `https://git.example.com/${'a'.repeat(2_050)}`,
  ])('refuses %j', (url) => {
    expect(repositoryUrlProblem(url)).toMatch(/^must /);
  });
});

describe('an address as people read it', () => {
  it.each([
    ['file:///home/me/app.git', '/home/me/app.git'],
    ['FILE:///srv/it%20is%20here', '/srv/it is here'],
    ['file:///srv/100%', '/srv/100%'],
    ['https://git.example/team/app.git', 'https://git.example/team/app.git'],
    ['ssh://git@git.example/team/app', 'ssh://git@git.example/team/app'],
    ['~/git/app.git', '~/git/app.git'],
    ['file://other/share', 'file://other/share'],
  ])('%s is shown as %s', (url, shown) => expect(shownRepository(url)).toBe(shown));
});
