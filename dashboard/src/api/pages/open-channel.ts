export type PageChannel<Message> = { tell(message: Message): void; close(): void };

/**
 * Opens a message channel: pages of this browser with a channel of the same name receive each
 * other's messages, not their own. Null in a browser without channels.
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
