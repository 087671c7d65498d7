/** Bytes of bodies that may be in memory at once: all together, and for each who sends. */
export type ByteBudget = {
  /** False, and nothing taken, when it would be too much. */
  take(holder: string, bytes: number): boolean;
  give(holder: string, bytes: number): void;
  takenBytes(): number;
};

export function createByteBudget(limits: {
  totalBytes: number;
  perHolderBytes: number;
}): ByteBudget {
  const taken = new Map<string, number>();
  let total = 0;
  return {
    take(holder, bytes) {
      const own = (taken.get(holder) ?? 0) + bytes;
      if (own > limits.perHolderBytes || total + bytes > limits.totalBytes) return false;
      taken.set(holder, own);
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
