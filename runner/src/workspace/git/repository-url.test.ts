import { describe, expect, it } from 'vitest';
import { mirrorKey } from '../mirror/mirror-key.ts';
import { parseRepositoryUrl } from './repository-url.ts';
import { workspaceKey } from '@switchyard/shared/protocol/workspace-key';
import { refComponent } from '../ref-component.ts';

describe('parseRepositoryUrl', () => {
  it('accepts https, ssh and absolute file addresses', () => {
    expect(parseRepositoryUrl('https://example.test/a/b.git').kind).toBe('https');
    expect(parseRepositoryUrl('ssh://git@example.test:2222/a/b.git')).toEqual({
      kind: 'ssh',
      url: 'ssh://git@example.test:2222/a/b.git',
    });
    expect(parseRepositoryUrl('file:///srv/my%20project.git')).toEqual({
      kind: 'file',
      url: 'file:///srv/my%20project.git',
      path: '/srv/my project.git',
    });
  });

  it.each([
    '',
    '-x',
    '--upload-pack=touch pwned',
    'git@example.test:a/b.git',
    '/srv/project',
    'ext::sh -c id',
    'git://example.test/a',
    'http://example.test/a',
    'file://host/srv/a',
    'file:srv/a',
    'file:///a?b',
    'file:///a%0Ab',
    'file:///a%2Fb',
    'file:///',
    'https://ghp_0123456789@example.test/a',
    'https://%zz@example.test/a',
    'https://example.test/a%0Ab',
    'https://user:secret@example.test/a',
    'ssh://-oProxyCommand=id/a',
    'ssh://-l@example.test/a',
    'https://example.test/a\nb',
    'https://example.test/\u202Ea',
    `https://example.test/${'a'.repeat(3_000)}`,
  ])('refuses %j', (text) => {
    expect(() => parseRepositoryUrl(text)).toThrow(
      expect.objectContaining({ code: 'repository_refused' }),
    );
  });

  it('does not repeat a password in its message', () => {
    expect(() => parseRepositoryUrl('https://user:secret@example.test/a')).toThrow(
      /^(?!.*secret@)/,
    );
  });
});

describe('keys', () => {
  it('keeps safe identifiers and marks changed ones', () => {
    expect(workspaceKey('SY-12')).toBe('SY-12');
    expect(workspaceKey('a/b')).toBe('a_b--c14cddc033f64b9d');
    expect(workspaceKey('a/b')).not.toBe(workspaceKey('a_b'));
  });

  it.each(['..', '.', '', '../../etc', '.git', 'x'.repeat(400), 'a\0b'])(
    'makes a safe folder name of %j',
    (text) => {
      expect(workspaceKey(text)).toMatch(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,140}$/);
    },
  );

  it('gives each repository its own mirror', () => {
    expect(mirrorKey('https://example.test/a/b.git')).toMatch(
      /^https___example\.test_a_b\.git--[0-9a-f]{16}$/,
    );
  });

  it.each(['a..b', 'a.lock', 'a.', 'SY-1'])('makes a ref component of %j', (key) => {
    expect(refComponent(key)).toMatch(
      /^(?!.*\.\.)(?!.*\.lock$)[A-Za-z0-9_-][A-Za-z0-9._-]*[A-Za-z0-9_-]$/,
    );
  });
});
