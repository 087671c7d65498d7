/** What the codes of Node's network stack, its HTTP client and its TLS library say, in this order. */
const MESSAGES: readonly [codes: RegExp, words: string][] = [
  [/^(ENOTFOUND|ENODATA|EAI_NONAME|EAI_NODATA)$/, 'its name is not known'],
  [/^(EAI_|EDNS|ESERVFAIL|EREFUSED$)/, 'its name could not be looked up'],
  [/^ECONNREFUSED$/, 'nothing accepts connections there'],
  [/TIMEOUT$|^ETIMEDOUT$|^ETIME$/, 'no answer in time'],
  [/^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/, 'no route leads there'],
  [/CERT|^UNABLE_TO_|_SIGNED|^HOSTNAME_MISMATCH$/, 'its certificate is not trusted'],
  [/^(EPROTO$|ERR_SSL_|ERR_TLS_)/, 'no encrypted connection came about'],
  [/^HPE_/, 'what answers there does not speak HTTP'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/, 'the connection broke off'],
];

/**
 * Why nothing came of a connection, for people who know no codes, with the code for those who do.
 * Messages of the network stack are never repeated: they name addresses and headers.
 */
export function networkTrouble(code: string): string {
  const words = MESSAGES.find(([codes]) => codes.test(code))?.[1] ?? 'no connection';
  return `${words} (${code})`;
}

/** The same for an answer that is none of use, by its status; null for one that says nothing plain. */
export function statusTrouble(status: number): string | null {
  if (status === 401) return 'refuses the credentials';
  // A key may be right and its owner, this place or this address not allowed.
  if (status === 403) return 'does not allow this';
  if (status === 407) return 'is behind a proxy that asks for credentials';
  if (status === 429) return 'limits requests for now';
  if (status >= 500) return 'has trouble of its own';
  return null;
}
