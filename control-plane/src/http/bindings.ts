/** What a platform knows about each request beyond the request itself; passed as `env`. */
export type HttpBindings = {
  /**
   * Address of the socket's peer from the runtime, never from a header; on Workers as Cloudflare
   * reports it. Null when unknown.
   */
  remoteAddress: string | null;
  /** Closes the request's connection without a response, where the platform can. */
  cut?: () => void;
};

export type HttpEnv = { Bindings: HttpBindings };
