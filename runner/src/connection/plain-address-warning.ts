/** This machine by the names that URLs have for it. */
const OWN_ADDRESS = /^((.+\.)?localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * What to tell people about a control plane that is reached without TLS on another machine; null
 * where nobody can listen in.
 */
export function plainAddressWarning(controlPlaneUrl: string): string | null {
  const { protocol, hostname, host } = new URL(controlPlaneUrl);
  if (protocol !== 'http:' || OWN_ADDRESS.test(hostname)) return null;
  return (
    `the control plane at ${host} is reached without encryption: whoever listens on the way reads ` +
    'prompts, code and access tokens. Put it behind HTTPS and join with that address, or use a private tunnel.'
  );
}
