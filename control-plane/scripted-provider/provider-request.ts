import { createHash } from 'node:crypto';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';

/** One call of the engine, as a script sees it and as tests inspect it afterwards. */
export type ProviderRequest = {
  receivedAtMs: number;
  method: string;
  path: string;
  wireApi: WireApi;
  /** SHA-256 of the Authorization header in hex; the value itself is not kept. */
  authorizationSha256: string | null;
  /** SHA-256 of the key, in whatever header it came; null: none. */
  keySha256: string | null;
  /** False when an apiKey is demanded and this was not it. */
  authorized: boolean;
  threadId: string;
  turnId: string;
  model: string;
  /** Raw input items or messages. */
  input: unknown[];
  toolNames: string[];
  systemText: string;
  /** Everything that was said to the model as the user, oldest first. */
  userTexts: string[];
  /** Results of the model's tool calls, oldest first. */
  toolOutputs: string[];
  /** The engine asks for something beside the work, a title for example; no script sees it. */
  isSide: boolean;
  /** Which call of its thread this is, from 0; a repeated call counts again. */
  callIndex: number;
  /** Tool results since the turn began; the same again when a call is repeated. */
  stepIndex: number;
};

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
