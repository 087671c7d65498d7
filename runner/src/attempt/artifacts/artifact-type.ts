import type { ArtifactType } from '@switchyard/shared/evidence/artifact';

/** The first bytes of each file type, one character for each byte. */
const BEGINNINGS: readonly (readonly [ArtifactType, string])[] = [
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/gif', 'GIF87a'],
  ['image/gif', 'GIF89a'],
];
/** WebP has its size between the two marks. */
const WEBP = /^RIFF[^]{4}WEBP/;
const LONGEST_BYTES = 12;
/** Control characters except tab and line breaks. */
const CONTROL = /[^\P{Cc}\t\n\r]/u;

/** The type of a file by its content alone: the agent chose its name. */
export function artifactType(bytes: Uint8Array): ArtifactType {
  const beginning = Buffer.from(bytes.subarray(0, LONGEST_BYTES)).toString('latin1');
  const found = BEGINNINGS.find(([, signature]) => beginning.startsWith(signature));
  if (found !== undefined) return found[0];
  if (WEBP.test(beginning)) return 'image/webp';
  return isPlainText(bytes) ? 'text/plain' : 'application/octet-stream';
}

function isPlainText(bytes: Uint8Array): boolean {
  try {
    return !CONTROL.test(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return false;
  }
}
