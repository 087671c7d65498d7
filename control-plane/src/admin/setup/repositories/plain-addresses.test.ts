import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ConfigApp, createConfigApp } from '../../../../../test/support/config-app.ts';

describe('a repository that is named as people name it', () => {
  let fixture: ConfigApp;
  beforeEach(async () => {
    fixture = await createConfigApp();
  });
  afterEach(() => fixture.close());

  const add = async (url: string) => {
    const { status, body } = await fixture.call('POST', '/api/v1/setup/repo-route', {
      prefix: 'SY-',
      url,
    });
    return status === 201 ? body['url'] : body['error'];
  };

  it.each([
    ['a path', '/home/me/app.git', 'file:///home/me/app.git'],
    ['a path with blanks around and in it', ' /home/me/my app%1.git/ ', 'file:///home/me/my%20app%251.git'],
    ['a path with a slash too many', '//srv/git/app.git', 'file:///srv/git/app.git'],
    ['the .git of a working copy', '/home/me/app/.git', 'file:///home/me/app'],
    ['owner and name', 'team/app', 'https://github.com/team/app'],
    ['a page without a scheme', 'github.com/team/app', 'https://github.com/team/app'],
    ['a page of it', 'https://www.github.com/team/app/tree/main/src?tab=readme#top', 'https://github.com/team/app'],
    ['its address over http', 'http://github.com/team/app.git', 'https://github.com/team/app.git'],
    ['as git writes ssh', 'git@example.com:team/app.git', 'ssh://git@example.com/team/app.git'],
    ['another host as it is', 'https://git.example.com/a/b/c.git', 'https://git.example.com/a/b/c.git'],
    ['a file address as it is', 'file:///srv/app.git', 'file:///srv/app.git'],
  ])('is understood: %s', async (_what, given, url) => {
    expect(await add(given)).toBe(url);
    expect((await fixture.config.load()).repos).toEqual([{ prefix: 'SY-', url }]);
  }); // prettier-ignore

  it('lies on the GitHub server of one’s own where one is set', async () => {
    const endpoint = 'https://code.example.com/api/v3';
    await fixture.call('PATCH', '/api/v1/config/overlay/codehost.github.endpoint', {
      value: endpoint,
    });
    expect(await add('team/app')).toBe('https://code.example.com/team/app');
  });

  it('is refused where only a runner knows the folder and none is there', async () => {
    expect(await add('~/app.git')).toMatch(/^url: .*no runner is connected: give the whole path/);
    expect((await fixture.config.load()).repos).toEqual([]);
  });

  it.each(['app.git', 'C:\\app', 'github.com', '../app.git', 'team/..'])(
    'is still refused when nobody could know: %s',
    async (given) => {
      expect(await add(given)).toMatch(/^url: must be https/);
    },
  );
});
