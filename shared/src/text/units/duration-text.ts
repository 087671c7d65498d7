/** A duration for sentences and tables: `1.2 s`, `45 s`, `1 min 15 s`, `2 h 4 min`. */
export function durationText(durationMs: number): string {
  const tenths = (Math.max(0, durationMs) / 1_000).toFixed(1);
  if (Number(tenths) < 10) return `${tenths} s`;
  const seconds = Math.round(durationMs / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
