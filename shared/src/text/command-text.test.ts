import { describe, expect, it } from 'vitest';
import { commandText, quoteWord } from './command-text.ts';

describe('how a command is started', () => {
  it('is by the installed program', () => {
    expect(commandText('runner join URL', {})).toBe('switchyard runner join URL');
  });

  it('is by a script in a checkout', () => {
    const env = { SWITCHYARD_CHECKOUT: '/srv/switchyard' };
    expect(commandText('start', env)).toBe('npm start');
    expect(commandText('doctor', env)).toBe('npm run doctor');
    expect(commandText('runner join URL', env)).toBe('npm run runner -- join URL');
  });
});

it('an argument is in quotes where a shell would read it otherwise', () => {
  expect(['/srv/data', 'a b', "it's $HOME", ''].map(quoteWord)).toEqual([
    '/srv/data',
    "'a b'",
    `'it'\\''s $HOME'`,
    "''",
  ]);
});
