const PARAMETER = 'code';

type Place = Pick<Location, 'hash' | 'pathname' | 'search'>;

/** Whether an address signs a browser in. */
export function isSignInLink({ hash }: Pick<Place, 'hash'>): boolean {
  return codeIn(hash) !== null;
}

/**
 * Takes the code of a sign-in link out of the address, so that neither the history nor a copied
 * address has it; null when this is no such link.
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
