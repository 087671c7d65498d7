/**
 * A short hash of content for ETags: different content has equal hashes with a chance of about 1 in
 * 2^63. Two FNV-1a hashes with different constants side by side; not cryptographically secure.
 */
export function versionOf(content: string): string {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (let index = 0; index < content.length; index += 1) {
    const code = content.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x01000197);
  }
  return `${(low >>> 0).toString(36)}${(high >>> 0).toString(36)}`;
}
