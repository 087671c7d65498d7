import { isLoopbackHost } from './is-loopback-host.ts';

/**
 * The warning for a control plane that is reached without TLS on another machine; null where the
 * connection is private.
 */
export function plainAddressWarning(controlPlaneUrl: string): string | null {
  const { protocol, hostname, host } = new URL(controlPlaneUrl);
  if (protocol !== 'http:' || isLoopbackHost(hostname)) return null;
  return (
    `the control plane at ${host} is reached without encryption: whoever listens on the way reads ` +
    'prompts, code and access tokens. Put it behind HTTPS and join with that address, or use a private tunnel.'
  );
}
