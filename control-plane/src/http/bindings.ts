/** What a platform says about each request beyond the request itself; it passes this as `env`. */
export type HttpBindings = {
  /**
   * Address of the socket's peer, from the runtime and never from a header; on Workers what
   * Cloudflare vouches for. Null when unknown.
   */
  remoteAddress: string | null;
  /** Ends the connection of this request without a further word, where the platform can. */
  cut?: () => void;
};

export type HttpEnv = { Bindings: HttpBindings };
