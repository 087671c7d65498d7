/** A chat message without formatting. Its texts may come from strangers. */
export type ChatMessage = {
  /** Heading on one line, such as `Worker failed`. */
  title: string;
  severity: 'info' | 'critical';
  /** Description of what happened. */
  text: string;
  issue: { identifier: string; title: string; state: string | null; url: string | null } | null;
  details: { label: string; value: string }[];
  /** Links for the next step, the most useful first. */
  links: { label: string; url: string }[];
};

/** The port to a chat product. */
export interface Chat {
  /** Posts to a webhook address. Throws `PostFailed`, which never contains the address. */
  send(webhookUrl: string, message: ChatMessage, timeoutMs: number): Promise<void>;
}
