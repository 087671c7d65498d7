const PARAMETER = 'code';

type Place = Pick<Location, 'hash' | 'pathname' | 'search'>;

/** Whether an address is a sign-in link. */
export function isSignInLink({ hash }: Pick<Place, 'hash'>): boolean {
  return codeIn(hash) !== null;
}

/**
 * Removes the code of a sign-in link from the address, so that neither the history nor a copied
 * address contains it, and returns it; null when this is no such link.
 */
export function takeSignInCode(
  place: Place,
  history: Pick<History, 'replaceState' | 'state'>,
): string | null {
  const code = codeIn(place.hash);
  if (code !== null) history.replaceState(history.state, '', place.pathname + place.search);
  return code;
}

function codeIn(hash: string): string | null {
  const code = new URLSearchParams(hash.replace(/^#/, '')).get(PARAMETER);
  return code === null || code === '' ? null : code;
}
