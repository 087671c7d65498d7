import type { ServerResponse } from 'node:http';

/** The open stream of one answer, for a step that ends it in its own way. */
export type StepStream = {
  response: ServerResponse;
  /** Aborted when the client left or the provider closes. */
  signal: AbortSignal;
  /** The model says a piece of text, in the format of the request. */
  say(text: string): Promise<void>;
  /** Ends the stream with a failure, as a provider does whose answer had begun. */
  fail(refusal: Refusal): Promise<void>;
};

/**
 * One item of the model's answer. The provider chooses among the tools that a request offers, so one
 * script serves engines whose tools have other names and arguments.
 */
export type StepOutput =
  | { type: 'message'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'shell'; command: string; yieldTimeMs: number }
  /** In the form of `apply_patch`; tools that replace text get one call for each hunk. */
  | { type: 'patch'; patch: string }
  | { type: 'read'; path: string }
  /** Asks the person. */
  | { type: 'questions'; questions: AskedQuestion[] }
  /** A tool by its name, or by the name that an engine made of it (`server_name`). */
  | { type: 'tool'; name: string; arguments: unknown };

export type AskedQuestion = {
  id: string;
  header: string;
  question: string;
  options: { label: string; description: string }[];
};

/** `reasoning` is part of `output`, `cachedInput` part of `input`. */
export type Usage = { input: number; cachedInput: number; output: number; reasoning: number };

/** How a provider refuses. Each format has words, codes and headers of its own for it. */
export type Refusal = {
  kind: 'unauthorized' | 'rate_limit' | 'quota' | 'server_error' | 'overloaded' | 'context';
  /** Sent as `retry-after`, seconds. */
  retryAfterS?: number;
  /** Sent in the reset headers or the body of the format, epoch milliseconds. */
  resetAtMs?: number;
};

/**
 * What the scripted provider does with one request of the engine. A step can be built, combined and
 * compared.
 */
export type Step = {
  outputs: StepOutput[];
  /** Refuses the request; `outputs` count for nothing then. */
  refusal?: Refusal;
  /** Nothing more comes, and the connection stays open. */
  silence?: 'before_headers' | 'after_headers' | 'after_outputs';
  /** Answers the whole call by itself; `outputs` count for nothing then. */
  instead?: (response: ServerResponse, signal: AbortSignal) => unknown;
  /** Ends the stream after the outputs, in place of a good end. */
  ending?: (stream: StepStream) => Promise<unknown>;
  usage?: Usage;
  /** Extra response headers, for example rate limits. */
  headers?: Record<string, string>;
  /** Wait before the answer begins, milliseconds. */
  delayMs?: number;
  /** Wait between two pieces of streamed text, milliseconds. */
  pauseMs?: number;
};
