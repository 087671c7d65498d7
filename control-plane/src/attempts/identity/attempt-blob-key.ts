/** Key of the blob that a runner uploads for one epoch of an attempt. */
export function attemptBlobKey(input: { attemptId: string; epoch: number; name: string }): string {
  return `${blobFolder(input.attemptId)}${input.epoch}/${input.name}`;
}

/** Common prefix of the keys of all uploads of an attempt. */
export function blobFolder(attemptId: string): string {
  return `attempts/${attemptId}/`;
}

/** Whether a blob key that a runner names belongs to its attempt; null counts as valid. */
export function isOwnBlob(key: string | null | undefined, attemptId: string): boolean {
  if (key === null || key === undefined) return true;
  const folder = blobFolder(attemptId);
  return (
    key.startsWith(folder) && /^\d{1,9}\/[a-z0-9][a-z0-9._-]{0,63}$/.test(key.slice(folder.length))
  );
}
