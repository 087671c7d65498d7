import { productVersion } from '@switchyard/shared/product-version';
import * as protocol from './turn-params.ts';
import type { RpcClient } from '../json-rpc/rpc-client.ts';

/** Initialises a new engine and resolves with its version. Rejects as `RpcClient.request` does. */
export async function initialize(rpc: RpcClient, timeoutMs: number): Promise<string> {
  const params = {
    clientInfo: { name: 'switchyard', title: 'Switchyard', version: productVersion },
    capabilities: { experimentalApi: true, requestAttestation: false },
  };
  const result = await rpc.request('initialize', params, { timeoutMs });
  const { userAgent } = protocol.InitializeResult.parse(result);
  await rpc.notify('initialized');
  return /^[^/\s]+\/(\S+)/.exec(userAgent)?.[1] ?? userAgent;
}
