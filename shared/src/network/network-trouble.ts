/**
 * Texts for error codes of Node's network stack, HTTP client and TLS library; the first match
 * counts.
 */
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
 * Why a connection failed, for people who do not know error codes, with the code for those who do.
 * Messages of the network stack are never repeated, since they contain addresses and headers.
 */
export function networkTrouble(code: string): string {
  const message = MESSAGES.find(([codes]) => codes.test(code))?.[1] ?? 'no connection';
  return `${message} (${code})`;
}

/** Why a response is of no use, by its status; null for a status without a plain meaning. */
export function statusTrouble(status: number): string | null {
  if (status === 401) return 'refuses the credentials';
  // The key may be valid while its owner, this region or this address is not allowed.
  if (status === 403) return 'does not allow this';
  if (status === 407) return 'is behind a proxy that asks for credentials';
  if (status === 429) return 'limits requests for now';
  if (status >= 500) return 'has trouble of its own';
  return null;
}
