const LOOPBACK = /^((.+\.)?localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether the host of a URL is this machine, by its name without DNS. */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}
