import type { Blobs, Ids, Logger, MonotonicClock } from '../../control-plane/src/ports/ports.ts';
import { partsOf } from '../../control-plane/src/runners/blobs/parts-of.ts';

export type TestPorts = {
  clock: MonotonicClock & { advance(ms: number): void };
  ids: Ids;
  blobs: Blobs;
  logger: Logger;
  /** Messages of warnings and errors. */
  complaints: string[];
};

/** Ports in memory: a clock that only moves when told to, counted ids. */
export function createTestPorts(): TestPorts {
  let nowMs = Date.parse('2026-01-02T03:04:05.000Z');
  let count = 0;
  const complaints: string[] = [];
  const stored = new Map<string, Uint8Array>();
  const complain = (message: string) => void complaints.push(message);
  return {
    clock: { nowMs: () => nowMs, monotonicMs: () => nowMs, advance: (ms) => void (nowMs += ms) },
    ids: {
      next: (kind) => `${kind}_${(count += 1).toString(36).padStart(12, '0')}`,
      secret: () => `secret-${(count += 1)}`,
    },
    blobs: {
      put: async (key, bytes) => {
        const pieces: Uint8Array[] = [];
        for await (const piece of bytes instanceof Uint8Array ? [bytes] : bytes)
          pieces.push(piece.slice());
        stored.set(key, Buffer.concat(pieces));
      },
      get: async (key) => stored.get(key) ?? null,
      open: async (key) => {
        const bytes = stored.get(key);
        return bytes === undefined ? null : partsOf(bytes, 65_536);
      },
      delete: async (key) => void stored.delete(key),
    },
    logger: { debug: () => {}, info: () => {}, warn: complain, error: complain },
    complaints,
  };
}
