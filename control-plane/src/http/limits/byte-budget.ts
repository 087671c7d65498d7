/** Limits the bytes of bodies in memory, in total and for each sender. */
export type ByteBudget = {
  /** Reserves bytes; false, with nothing reserved, when that exceeds a limit. */
  take(holder: string, bytes: number): boolean;
  /** Whether `take` would succeed now. */
  hasRoom(holder: string, bytes: number): boolean;
  give(holder: string, bytes: number): void;
  takenBytes(): number;
};

export function createByteBudget(limits: {
  totalBytes: number;
  perHolderBytes: number;
}): ByteBudget {
  const taken = new Map<string, number>();
  let total = 0;
  const hasRoom = (holder: string, bytes: number) =>
    (taken.get(holder) ?? 0) + bytes <= limits.perHolderBytes && total + bytes <= limits.totalBytes;
  return {
    hasRoom,
    take(holder, bytes) {
      if (!hasRoom(holder, bytes)) return false;
      taken.set(holder, (taken.get(holder) ?? 0) + bytes);
      total += bytes;
      return true;
    },
    give(holder, bytes) {
      const own = (taken.get(holder) ?? 0) - bytes;
      if (own > 0) taken.set(holder, own);
      else taken.delete(holder);
      total -= bytes;
    },
    takenBytes: () => total,
  };
}
