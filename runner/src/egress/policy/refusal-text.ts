import { cutText } from '@switchyard/shared/text/cut-text';
import type { RefusalReason } from './egress-policy.ts';

const MESSAGES: Record<RefusalReason, string> = {
  host_not_allowed: 'is not on the list of hosts that this attempt may reach',
  private_address: 'has an address that is not on the public internet',
  metadata_address: 'has an address where machines are told their credentials',
  read_only_host: 'is for reading only: ask http:// instead, the proxy adds TLS',
  secret_host: 'gets a credential from the proxy: ask http:// instead, the proxy adds TLS and it',
  secret_missing: 'is to get a credential that is not stored or cannot be sent',
  byte_limit: 'cannot be asked: this attempt has used up its byte limit',
  too_many_connections: 'cannot be asked: too many connections are open',
  unknown_host: 'has no address',
  malformed: 'is not a usable target',
};

/**
 * The text that the agent reads when the proxy refuses a request, so that it does not retry for
 * ever.
 */
export function refusalText(asked: { host: string; port: number }, reason: RefusalReason): string {
  const target = cutText(`${asked.host}:${asked.port}`, 260).replaceAll(/[^\x21-\x7e]/g, '?');
  return (
    `switchyard: ${target} ${MESSAGES[reason]} (${reason}). ` +
    'The operator decides this (engine.sandbox.network, engine.sandbox.allowedHosts); trying again does not help.'
  );
}
