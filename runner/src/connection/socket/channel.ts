/** One open connection as its users see it. */
export interface Channel {
  send(text: string): void;
  close(code: number, reason: string): void;
  /** Bytes that were handed over and are not written yet. */
  bufferedBytes(): number;
}

export type ChannelEvents = {
  text(data: string): void;
  /** Called once, only for a channel that was open. */
  closed(code: number, reason: string): void;
};

/** Opens a channel; rejects with a message for the log. */
export type Dial = (events: ChannelEvents, signal: AbortSignal) => Promise<Channel>;
