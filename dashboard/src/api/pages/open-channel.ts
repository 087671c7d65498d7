export type PageChannel<Message> = { tell(message: Message): void; close(): void };

/**
 * Pages of this browser that open a channel of one name hear each other, each all but itself. Null in a
 * browser that has no channels.
 */
export function openChannel<Message>(
  name: string,
  onMessage: (message: Message) => void,
): PageChannel<Message> | null {
  if (!('BroadcastChannel' in globalThis)) return null;
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }: MessageEvent<Message>) => onMessage(data);
  return { tell: channel.postMessage.bind(channel), close: () => channel.close() };
}
