const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** A size in readable units: `0 B`, `950 B`, `1.5 KiB`, `12 GiB`. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  const value = bytes / 1_024 ** power;
  const text = power === 0 || value >= 99.95 ? String(Math.round(value)) : value.toFixed(1);
  return `${text.replace(/\.0$/, '')} ${UNITS[power]}`;
}
