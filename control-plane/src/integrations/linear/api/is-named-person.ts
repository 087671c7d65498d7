const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

type Person = {
  id: string;
  name?: string | null | undefined;
  email?: string | null | undefined;
  isMe?: boolean | undefined;
};

/**
 * Whether a person is named in the list by `me`, id, email address or name. People choose their
 * names freely, so a name never matches an address, an id or `me`.
 */
export function isNamedPerson(
  person: Person | null | undefined,
  wanted: readonly string[],
): boolean {
  if (!person) return false;
  const is = (own: string | null | undefined, name: string) => own?.trim().toLowerCase() === name;
  // Compared without Unicode case folding, which maps some letters (such as the Kelvin sign) to
  // plain ones.
  const isAddress = (own: string | null | undefined, name: string) =>
    is(own, name) && asciiCount(own ?? '') === asciiCount(name);
  return wanted.some((one) => {
    const name = one.trim().toLowerCase();
    if (name === '') return false;
    if (name === 'me') return person.isMe === true;
    if (name.includes('@')) return isAddress(person.email, name);
    // A text in the form of an id is compared only as an id, since people choose their names.
    return is(person.id, name) || (!UUID.test(name) && is(person.name, name));
  });
}

function asciiCount(text: string): number {
  return text.trim().replaceAll(/[^\u0020-\u007e]/g, '').length;
}
