/** Bytes of bodies that may be in memory at once: all together, and for each who sends. */
export type ByteBudget = {
  /** False, and nothing taken, when it would be too much. */
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
