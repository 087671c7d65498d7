import { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { describe, expect, it } from 'vitest';
import { emptyGrant, grantFrom, grantText } from './grant-draft.ts';

const NPM = { ...emptyGrant(1), secret: ' NPM_TOKEN ', hosts: 'npm.example, cdn.example:8443' };

describe('a secret granted with the route form', () => {
  it('says nothing that is so by itself', () => {
    expect(grantFrom(NPM)).toEqual({
      secret: '$SECRET:NPM_TOKEN',
      hosts: ['npm.example', 'cdn.example:8443'],
    });
  });

  it('tells where and how it is sent, in a form that the service takes', () => {
    const grants = [
      grantFrom({ ...NPM, scheme: 'basic', user: 'robot', writes: true }),
      grantFrom({ ...NPM, scheme: 'plain', header: 'X-Key' }),
      grantFrom({ ...NPM, scheme: 'bearer', header: 'X-Key' }),
    ];
    expect(grants).toMatchObject([
      { scheme: 'basic', user: 'robot', writes: true },
      { header: 'x-key' },
      { header: 'x-key', scheme: 'bearer' },
    ]);
    const route = { prefix: 'SY-', url: 'file:///srv/a.git', secrets: grants };
    expect(RepoRoute.safeParse(route).success).toBe(true);
  });

  it('is told in words, without its value', () => {
    expect(grantText(grantFrom(NPM))).toBe(
      'NPM_TOKEN for npm.example, cdn.example:8443, read only',
    );
    expect(grantText(grantFrom({ ...NPM, header: 'x-key', writes: true }))).toBe(
      'NPM_TOKEN for npm.example, cdn.example:8443 in x-key, read and write',
    );
  });
});
