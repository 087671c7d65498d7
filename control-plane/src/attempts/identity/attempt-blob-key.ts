/** Where a runner's upload for one epoch of an attempt is kept. */
export function attemptBlobKey(input: { attemptId: string; epoch: number; name: string }): string {
  return `${blobFolder(input.attemptId)}${input.epoch}/${input.name}`;
}

/** What the keys of all uploads of an attempt begin with. */
export function blobFolder(attemptId: string): string {
  return `attempts/${attemptId}/`;
}

/** Whether a key that a runner names is one of its attempt's uploads; null names none. */
export function isOwnBlob(key: string | null | undefined, attemptId: string): boolean {
  if (key === null || key === undefined) return true;
  const folder = blobFolder(attemptId);
  return (
    key.startsWith(folder) && /^\d{1,9}\/[a-z0-9][a-z0-9._-]{0,63}$/.test(key.slice(folder.length))
  );
}
