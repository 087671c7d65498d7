const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

type Person = {
  id: string;
  name?: string | null | undefined;
  email?: string | null | undefined;
  isMe?: boolean | undefined;
};

/**
 * Whether a person is one of those named by `me`, id, email address or name. Everybody chooses a name
 * freely: it stands for no address, for no id and not for `me`.
 */
export function isNamedPerson(
  person: Person | null | undefined,
  wanted: readonly string[],
): boolean {
  if (!person) return false;
  const is = (own: string | null | undefined, name: string) => own?.trim().toLowerCase() === name;
  // Some letters become a plain one in small (the sign for Kelvin): no address is such a letter's.
  const isAddress = (own: string | null | undefined, name: string) =>
    is(own, name) && asciiCount(own ?? '') === asciiCount(name);
  return wanted.some((one) => {
    const name = one.trim().toLowerCase();
    if (name === '') return false;
    if (name === 'me') return person.isMe === true;
    if (name.includes('@')) return isAddress(person.email, name);
    // Ids of other forms than Linear's own have no meaning there.
    return is(person.id, name) || (!UUID.test(name) && is(person.name, name));
  });
}

function asciiCount(text: string): number {
  return text.trim().replaceAll(/[^\u0020-\u007e]/g, '').length;
}
