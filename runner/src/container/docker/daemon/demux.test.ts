import { describe, expect, it } from 'vitest';
import { demux } from './demux.ts';

const frame = (stream: number, text: string): Buffer => {
  const payload = Buffer.from(text);
  const header = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(payload.length, 4);
  return Buffer.concat([header, payload]);
};

async function collect(chunks: Buffer[]): Promise<{ 1: string; 2: string }> {
  const texts = { 1: '', 2: '' };
  for await (const piece of demux(toStream(chunks))) {
    texts[piece.stream] += Buffer.from(piece.bytes).toString('latin1');
  }
  return texts;
}

async function* toStream(chunks: Buffer[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

describe('demux', () => {
  const whole = Buffer.concat([frame(1, 'out'), frame(2, 'err'), frame(1, ''), frame(1, 'more')]);

  it('keeps the streams apart however the bytes are cut', async () => {
    for (let size = 1; size <= whole.length; size++) {
      const chunks = [];
      for (let at = 0; at < whole.length; at += size) chunks.push(whole.subarray(at, at + size));
      expect(await collect(chunks)).toEqual({ 1: 'outmore', 2: 'err' });
    }
  });

  it('refuses what is not multiplexed', async () => {
    await expect(collect([Buffer.from('plain text of a terminal')])).rejects.toThrow('multiplexed');
  });
});
