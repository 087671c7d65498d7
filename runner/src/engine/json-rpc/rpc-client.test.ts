import { describe, expect, it } from 'vitest';
import { RpcClient } from './rpc-client.ts';

function client(write: (bytes: Uint8Array) => Promise<void> = () => Promise.resolve()): RpcClient {
  return new RpcClient(write, 1, {
    notification: () => undefined,
    serverRequest: () => undefined,
    idTaken: () => undefined,
  });
}

describe('calls of the engine', () => {
  it('time out and ignore an answer that comes later', async () => {
    const rpc = client();
    const call = rpc.request('slow/thing', {}, { timeoutMs: 10 });
    await expect(call).rejects.toThrow('slow/thing: the engine did not answer within 10 ms');
    expect(rpc.receive({ id: 1, result: {} })).toBe(true);
  });

  it('fail with the engine’s words, and with the reason why nothing can be written', async () => {
    const rpc = client();
    const refused = rpc.request('thread/start', {}, { timeoutMs: 1_000 });
    rpc.receive({ id: 1, error: { code: -32600, message: 'no such thing' } });
    await expect(refused).rejects.toThrow('thread/start: no such thing (-32600)');
    const broken = client(() => Promise.reject(new Error('EPIPE')));
    await expect(broken.request('a', {}, { timeoutMs: 1_000 })).rejects.toThrow('EPIPE');
  });

  it('name no half of a surrogate pair, which engines refuse', async () => {
    const lines: string[] = [];
    const rpc = client(async (bytes) => void lines.push(Buffer.from(bytes).toString()));
    await rpc.notify('say', { text: 'half \ud83d, whole 😀, source \\ud83d' });
    expect(lines).toEqual([
      `{"method":"say","params":{"text":"half \ufffd, whole 😀, source \\\\ud83d"}}\n`,
    ]);
  });

  it('run the hook of an answer before a later message is handled', () => {
    const seen: string[] = [];
    const rpc = new RpcClient(() => Promise.resolve(), 1, {
      notification: (method) => seen.push(method),
      serverRequest: () => undefined,
      idTaken: () => undefined,
    });
    const onResult = (): void => void seen.push('answer');
    void rpc.request('turn/start', {}, { timeoutMs: 1_000, onResult });
    rpc.receive({ id: 1, result: {} });
    rpc.receive({ method: 'turn/completed', params: {} });
    expect(seen).toEqual(['answer', 'turn/completed']);
  });
});
