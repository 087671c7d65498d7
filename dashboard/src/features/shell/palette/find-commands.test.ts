import { describe, expect, it } from 'vitest';
import { findCommands } from './find-commands.ts';

const commands = ['Overview', 'Pull requests', 'Runners', 'SY-12 Pull the lever', 'Sign out'].map(
  (label) => ({ id: label, label, hint: '', icon: 'search' as const, run: () => {} }),
);
const found = (typed: string) => findCommands(commands, [], typed).map(({ label }) => label);

describe('what the palette finds', () => {
  it('is everything before something is typed', () => expect(found('  ')).toHaveLength(5));

  it.each([
    ['pull', ['Pull requests', 'SY-12 Pull the lever']],
    ['sy-12', ['SY-12 Pull the lever']],
    ['lever pull', ['SY-12 Pull the lever']],
    ['plreq', ['Pull requests']],
    ['rnr', ['Runners']],
    ['sgnout', ['Sign out']],
    ['zzz', []],
  ])('for "%s"', (typed, labels) => expect(found(typed)).toEqual(labels));

  it('puts what the service found among them, by one rank, and nothing twice', () => {
    const elsewhere = [
      { ...commands[0]!, id: 'SY-12 Pull the lever', label: 'SY-12 Pull the lever', rank: 50 },
      { ...commands[0]!, id: 'pull-1', label: '#1 Pull', rank: 1 },
    ];
    expect(findCommands(commands, elsewhere, 'pull').map(({ label }) => label)).toEqual([
      'SY-12 Pull the lever',
      'Pull requests',
      '#1 Pull',
    ]);
  });
});
