import { describe, expect, it } from 'vitest';
import { isNamedPerson } from './is-named-person.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const ADA = { id: ID, name: 'Ada', email: 'ada@example.com' };
const stranger = (name: string) => ({ id: 'someone', name, email: 'other@example.com' });

describe('a named person', () => {
  it.each(['ada', ' ADA@example.com ', ID.toUpperCase()])('is known by %j', (named) =>
    expect(isNamedPerson(ADA, ['x', named])).toBe(true),
  );

  it.each(['ada@example.com', ID, 'me'])('is not whoever takes %j as a name', (named) =>
    expect(isNamedPerson(stranger(named), [named])).toBe(false),
  );

  it('has no address that only looks like another in small letters', () =>
    expect(isNamedPerson({ id: 'x', email: 'mi\u212ae@example.com' }, ['mike@example.com'])).toBe(
      false,
    ));

  it('is nobody where there is nobody', () => {
    expect(isNamedPerson(null, ['ada'])).toBe(false);
    expect(isNamedPerson({ id: 'x', name: '', email: null }, ['', ' '])).toBe(false);
    expect(isNamedPerson({ ...ADA, isMe: true }, ['me'])).toBe(true);
  });
});
