/** One open socket, seen from above. */
export interface Channel {
  send(text: string): void;
  close(code: number, reason: string): void;
  /** Bytes handed over and not yet written out. */
  bufferedBytes(): number;
}

export type ChannelEvents = {
  text(data: string): void;
  /** Once, and only for a channel that was open. */
  closed(code: number, reason: string): void;
};

/** Opens a socket; rejects with words for the log when that fails. */
export type Dial = (events: ChannelEvents, signal: AbortSignal) => Promise<Channel>;
