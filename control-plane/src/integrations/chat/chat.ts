/** What a chat is told, without a word about how it shows things. Texts may come from strangers. */
export type ChatMessage = {
  /** One line, for example `Worker failed`. */
  title: string;
  severity: 'info' | 'critical';
  /** What happened, in words. */
  text: string;
  issue: { identifier: string; title: string; state: string | null; url: string | null } | null;
  details: { label: string; value: string }[];
  /** Where a person goes on, the most useful first. */
  links: { label: string; url: string }[];
};

/** The port to a chat product. */
export interface Chat {
  /** Posts to a webhook address. Throws `PostFailed`, which never holds the address. */
  send(webhookUrl: string, message: ChatMessage, timeoutMs: number): Promise<void>;
}
