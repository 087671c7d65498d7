/** A Git LFS file as stored in git: hash and size of its content. */
export type Pointer = {
  /** SHA-256 of the content, 64 hexadecimal digits. */
  oid: string;
  sizeBytes: number;
};

/** Git LFS accepts no longer pointers. */
export const MAX_POINTER_BYTES = 1024;
const VERSIONS: ReadonlySet<string> = new Set([
  'https://git-lfs.github.com/spec/v1',
  'http://git-media.io/v/2',
  'https://hawser.github.com/spec/v1',
]);

/** Parses a pointer by the specification of Git LFS; null for any other text. */
export function parsePointer(text: string): Pointer | null {
  if (text.length > MAX_POINTER_BYTES || !text.endsWith('\n')) return null;
  const lines = text.slice(0, -1).split('\n');
  const pairs = lines.map((line) => /^([a-z0-9.-]+) ([^\r]+)$/.exec(line));
  const keys = pairs.map((pair) => pair?.[1] ?? '');
  const valueOf = (key: string): string => pairs[keys.indexOf(key)]?.[2] ?? '';
  const [first, ...rest] = keys;
  const isSorted = rest.every((key, index) => index === 0 || (rest[index - 1] ?? '') < key);
  if (first !== 'version' || !isSorted || !VERSIONS.has(valueOf('version'))) return null;
  const oid = /^sha256:([0-9a-f]{64})$/.exec(valueOf('oid'))?.[1];
  const size = /^\d{1,15}$/.exec(valueOf('size'))?.[0];
  if (oid === undefined || size === undefined || keys.includes('')) return null;
  return { oid, sizeBytes: Number(size) };
}

/** Path of an object below the folder `objects` of Git LFS. */
export function objectSteps(oid: string): [string, string, string] {
  return [oid.slice(0, 2), oid.slice(2, 4), oid];
}
