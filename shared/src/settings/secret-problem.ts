/** Private keys and certificates in PEM, which have several lines. */
const PEM = /^-----BEGIN [A-Z0-9 ]+-----\r?\n[\x20-\x7e\r\n]*-----END [A-Z0-9 ]+-----$/;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const isBreak = (character: string | undefined) => character === '\n' || character === '\r';

/** A secret without leading and trailing line breaks, which an editor or `echo` adds. */
export function withoutEndBreaks(secret: string): string {
  let from = 0;
  let to = secret.length;
  while (from < to && isBreak(secret[from])) from += 1;
  while (to > from && isBreak(secret[to - 1])) to -= 1;
  return secret.slice(from, to);
}

/**
 * Why a secret cannot be valid, without repeating it; null when no problem is found. Only a PEM key
 * may have several lines, and only with `inLines` true.
 */
export function secretProblem(secret: string, { inLines }: { inLines: boolean }): string | null {
  if (!UNSEEN.test(secret)) return null;
  if (!PEM.test(secret)) {
    return (
      'has a line break or another character that cannot be seen inside it: copy it again in one ' +
      'piece (a terminal that wraps long lines breaks them)'
    );
  }
  return inLines ? null : 'is a key in PEM, which is not what is wanted here: store another secret';
}
